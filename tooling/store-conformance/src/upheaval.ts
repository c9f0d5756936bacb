import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Afterthought,
  counts,
  type Failures,
  fails,
  inTime,
  servesAgain,
  withinLimits,
} from "./aftermath.ts";
import type { Stores } from "./candidate.ts";
import { liveThrough, type Witness } from "./live-through.ts";
import { LOAD_TIMEOUT_MS, Load } from "./load.ts";

/** Something that happens to servers while limiters are at work on them. */
export interface Upheaval {
  /** Heads its tests, such as `"a primary is killed"`. */
  readonly title: string;
  /** The stores on those servers; all of them are at work at once. */
  readonly stores: Stores;
  /** Whose calls those are. */
  readonly users: readonly string[];
  readonly failures: Failures;
  /** Why the client of a store, by its name, does not find its way back by itself. It shows as a skip. */
  readonly stranded?: Readonly<Record<string, string>>;
  /** Makes it happen; resolves once the servers could serve again. */
  happen(witness: Witness): Promise<void>;
}

let upheavals = 0;

/**
 * Registers with the test runner what has to hold for the callers of every store while something happens, and after.
 *
 * @example
 * ```ts
 * proveUpheaval({
 *   title: "the primary is killed",
 *   stores: { "ioredis 6": (options) => ioredisStore(client, options) },
 *   users: ["a", "b"],
 *   failures: "some do",
 *   async happen({ mayForget }) {
 *     const primary = await group.primary();
 *     await mayForget(() => primary.kill());
 *     await vi.waitUntil(async () => (await group.primary()) !== primary);
 *   },
 * });
 * ```
 */
export function proveUpheaval({ title, stores, users, failures, stranded = {}, happen }: Upheaval): void {
  describe(title, () => {
    const loads = new Map<string, Load>();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);

    beforeAll(async () => {
      process.on("unhandledRejection", note);
      for (const [name, open] of Object.entries(stores)) {
        upheavals += 1;
        const store = open({ prefix: `upheaval-${upheavals}`, timeoutMs: LOAD_TIMEOUT_MS });
        loads.set(name, new Load(store, users));
      }
      const returning = [...loads].filter(([name]) => stranded[name] === undefined).map(([, load]) => load);
      await liveThrough([...loads.values()], returning, happen);
    });
    afterAll(() => void process.off("unhandledRejection", note));

    it("leaves no rejection unhandled", () => {
      expect(unhandled).toEqual([]);
    });
    for (const name of Object.keys(stores)) {
      describe(name, () => {
        const why = stranded[name];
        for (const afterthought of [inTime, fails[failures], servesAgain, withinLimits, counts]) {
          register(afterthought, why, () => loads.get(name));
        }
      });
    }
  });
}

function register(
  { title, needsService, run }: Afterthought,
  why: string | undefined,
  load: () => Load | undefined,
): void {
  if (needsService && why !== undefined) {
    it.skip(`${title} (skipped: ${why})`);
    return;
  }
  it(title, async () => {
    const over = load();
    if (over === undefined) throw new Error("nothing has happened");
    await run(over);
  });
}
