import { expect } from "vitest";
import type { Load } from "./load.ts";

/** What becomes of calls while something happens: none fails, some may, or some do since for a while nobody serves. */
export type Failures = "none" | "some may" | "some do";

/** What can be told of a load that is over. */
export interface Afterthought {
  /** What is so where the check succeeds. */
  readonly title: string;
  /** It takes a client that has found its way back. */
  readonly needsService?: boolean;
  /** Rejects where it is not so. */
  run(load: Load): void | Promise<void>;
}

/** No call is left waiting. */
export const inTime: Afterthought = {
  title: "ends every call within its timeout",
  run(load) {
    expect(load.late).toBe(0);
  },
};

/** Errors are the store's own, or there are none. */
export const fails: Readonly<Record<Failures, Afterthought>> = {
  none: {
    title: "shows no error",
    run({ errors }) {
      expect(errors.map(String)).toEqual([]);
    },
  },
  "some may": { title: "fails by StoreErrors, if at all", run: ({ errors }) => expectStoreErrors(errors) },
  "some do": {
    title: "fails by StoreErrors while nobody serves",
    run({ errors }) {
      expect(errors).not.toEqual([]);
      expectStoreErrors(errors);
    },
  },
};

/** No process has to be started again. */
export const servesAgain: Afterthought = {
  title: "serves every user again by itself",
  needsService: true,
  run(load) {
    expect(load.servesAgain).toBe(true);
  },
};

/** Nothing is granted beyond a limit. */
export const withinLimits: Afterthought = {
  title: "grants no more than the limit, but for grants that a server took with it",
  run(load) {
    for (const { limiter, user, granted, mostGrants } of load.accounts) {
      expect(granted, `${limiter.policy.algorithm}, ${user}`).toBeLessThanOrEqual(mostGrants);
    }
  },
};

/** What a call was told is what was counted. */
export const counts: Afterthought = {
  title: "counts what was granted, no call twice, and none of which it said that it did not count",
  needsService: true,
  async run(load) {
    for (const { limiter, user, leastCounted, mostCounted } of load.accounts) {
      const { limit, remaining } = await limiter.peek(user);
      const about = `${limiter.policy.algorithm}, ${user}`;
      expect(limit - remaining, about).toBeGreaterThanOrEqual(Math.min(limit, leastCounted));
      expect(limit - remaining, about).toBeLessThanOrEqual(mostCounted);
    }
  },
};

function expectStoreErrors(errors: readonly unknown[]): void {
  for (const error of errors) {
    expect(error).toMatchObject({
      code: expect.stringMatching(/^ERR_SLUICE_STORE(_TIMEOUT)?$/),
      mayHaveCounted: expect.any(Boolean),
      message: expect.stringContaining('limiter "load-'),
    });
  }
}
