import { fileURLToPath } from "node:url";
import { type CompositeDecision, compose, type Store } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { runAlone } from "@sluice/run-alone";
import { slidingWindowLog } from "@sluice/sliding-window";
import { tokenBucket } from "@sluice/token-bucket";
import { describe, expect, it } from "vitest";
import { oneOfEach } from "../src/one-of-each.ts";
import { useRedis } from "./server.ts";
import { useStores } from "./stores.ts";

const kinds = await useStores();
const { redis } = await useRedis();
const CALLS = 1_000;
const PROCESSES = 3;
const CALLS_A_PROCESS = 200;
const PROGRAM = fileURLToPath(new URL("program.ts", import.meta.url));

/** What a user may do, and what all of them together may. */
function userAndAll(store: Store, perUser: number, forAll: number) {
  return compose([
    tokenBucket({ name: "user", capacity: perUser, refill: { tokens: 1, every: "30d" }, store }),
    slidingWindowLog({ name: "daily", limit: perUser + 1, window: "30d", store }),
    fixedWindow({ name: "all", anchor: "first", limit: forAll, window: "30d", store }),
  ]);
}

type Call = (i: number) => Promise<CompositeDecision>;

async function grantedAtOnce(call: Call): Promise<CompositeDecision[]> {
  const decisions = await Promise.all(Array.from({ length: CALLS }, (_, i) => call(i)));
  return decisions.filter(({ allowed }) => allowed);
}

async function grantedInTurn(call: Call): Promise<CompositeDecision[]> {
  const decisions: CompositeDecision[] = [];
  for (let i = 0; i < CALLS; i++) decisions.push(await call(i));
  return decisions.filter(({ allowed }) => allowed);
}

describe.each(kinds)(`${CALLS} callers at once on $kind`, ({ make }) => {
  it("on one key are granted what the tightest limit allows, each another remaining", async () => {
    const { store } = make();
    const limits = compose([
      ...oneOfEach(store, 250),
      fixedWindow({ name: "tight", limit: 137, window: "30d", store }),
    ]);
    const granted = await grantedAtOnce(() => limits.consume("one"));
    expect(granted).toHaveLength(137);
    expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(137);
    for (const name of ["bucket", "window", "log", "counter", "meter", "queue"] as const) {
      const told = granted.map(({ limits: own }) => own[name]?.remaining);
      expect(new Set(told).size).toBe(137);
    }
    const left = (await limits.peek("one")).limits;
    expect(Object.values(left).map(({ remaining }) => remaining)).toEqual([...Array(6).fill(113), 0]);
  });

  it("on keys of their own and one for all are granted what as many in turn would be", async () => {
    const call =
      ({ store }: { store: Store }, limits = userAndAll(store, 30, 250)): Call =>
      (i) => {
        const user = `user-${i % 10}`;
        return limits.consume(
          { user, daily: user, all: "all" },
          { cost: { user: 1, daily: 1, all: 1 + (i % 2) } },
        );
      };
    const together = await grantedAtOnce(call(make()));
    const inTurn = await grantedInTurn(call(make()));
    const units = (granted: readonly CompositeDecision[]): number =>
      granted.reduce((sum, { limits: { all } }) => sum + (all?.taken ?? 0), 0);
    expect(units(inTurn)).toBe(250);
    expect(units(together)).toBe(250);
    expect(together).toHaveLength(inTurn.length);
    expect(counts(together)).toEqual(counts(inTurn));
  });
});

/** How many were granted, by the user. */
function counts(granted: readonly CompositeDecision[]): Map<string | undefined, number> {
  const byUser = new Map<string | undefined, number>();
  for (const { limits } of granted) {
    const key = limits.user?.key;
    byUser.set(key, (byUser.get(key) ?? 0) + 1);
  }
  return byUser;
}

it(`${PROCESSES} processes of ${CALLS_A_PROCESS} callers are granted together what the tightest limits allow`, async () => {
  const args = [redis.url, String(CALLS_A_PROCESS)];
  const ended = await Promise.all(Array.from({ length: PROCESSES }, () => runAlone(PROGRAM, ...args)));
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    Array(PROCESSES).fill({ code: 0, stderr: "" }),
  );
  const granted: { tightForAll: number; tightForEach: number }[] = ended.map(({ stdout }) =>
    JSON.parse(stdout),
  );
  expect(granted.reduce((sum, { tightForAll }) => sum + tightForAll, 0)).toBe(137);
  expect(granted.reduce((sum, { tightForEach }) => sum + tightForEach, 0)).toBe(4 * 29);
});
