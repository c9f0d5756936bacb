import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Crowd, type Outcome, type Program } from "./crowd.ts";
import { keyOf, type Round } from "./demands.ts";
import type { Fault } from "./fault.ts";
import { FAULTS } from "./faults.ts";
import { textTable } from "./table.ts";

const LASTS_MS = 700;
const IN_TURN_LASTS_MS = 550;
const BETWEEN_MS = 150;
const ROUND_TIMEOUT_MS = 60_000;
const HEADS = [
  "fault",
  "calls",
  "settled in time",
  "failed",
  "back after ms",
  "granted",
  "where scarce",
  "allowed by the limit",
  "lost",
  "doubled",
];

/**
 * Registers with the test runner what has to hold for callers in several processes while each fault happens, and then
 * all of them in turn. Prints a table in the end.
 *
 * @param title names the clients
 * @param programs one for each process
 * @example
 * ```ts
 * const path = new URL("callers.ts", import.meta.url);
 * proveThroughFaults("ioredis", [{ path, args: ["ioredis 6"] }, { path, args: ["ioredis 5"] }]);
 * ```
 */
export function proveThroughFaults(title: string, programs: readonly [Program, ...Program[]]): void {
  describe(title, () => {
    const rows: (string | number)[][] = [];
    let crowd: Crowd;
    const note = (fault: string, outcome: Outcome): void => void rows.push(rowOf(fault, outcome));

    beforeAll(async () => {
      crowd = await Crowd.gather(programs);
      return async () => {
        await crowd.disperse();
      };
    });
    afterAll(() => console.log(`${title}\n${textTable(HEADS, rows)}`));

    for (const [index, fault] of FAULTS.entries()) {
      it(`loses nothing and counts nothing twice: ${fault.title}`, {
        timeout: ROUND_TIMEOUT_MS,
      }, async () => {
        const round = { name: `alone-${index}`, scarce: 60 };
        const outcome = await crowd.live(round, (ground) =>
          fault.happen(ground, LASTS_MS, keyOf("broken", round)),
        );
        note(fault.title, outcome);
        expectRight(outcome, round);
        expectOf(fault, outcome);
      });
    }

    it("loses nothing and counts nothing twice: all in turn", { timeout: ROUND_TIMEOUT_MS }, async () => {
      const round = { name: "in-turn", scarce: 300 };
      const outcome = await crowd.live(round, async (ground) => {
        for (const { happen } of FAULTS) {
          await happen(ground, IN_TURN_LASTS_MS, keyOf("broken", round));
          await sleep(BETWEEN_MS);
        }
      });
      note("all in turn", outcome);
      expectRight(outcome, round);
    });

    for (const { args, strands } of programs.filter(({ strands }) => strands !== undefined)) {
      it.skip(`serves callers on ${args.join(" ")} again by itself (skipped: ${strands})`);
    }

    it("leaves processes that end by themselves and complain of nothing", async () => {
      const endings = await crowd.disperse();
      expect(endings).toEqual(endings.map(() => ({ code: 0, stderr: "" })));
    });
  });
}

/** What holds whatever has happened. */
function expectRight({ accounts, tally, backAfterMs }: Outcome, { scarce }: Round): void {
  expect(Object.values(accounts).flatMap(({ strange }) => strange)).toEqual([]);
  expect(tally).toMatchObject({ settled: tally.calls, excess: 0, lost: 0, doubled: 0 });
  expect(backAfterMs, "all callers are served again").toBeDefined();
  expect(tally.scarceGranted).toBeGreaterThan(scarce / 10);
}

function expectOf({ failsCalls, also }: Fault, { accounts, tally }: Outcome): void {
  if (failsCalls) expect(tally.failed).toBeGreaterThan(0);
  also?.(accounts);
}

function rowOf(fault: string, { tally, backAfterMs }: Outcome): (string | number)[] {
  return [
    fault,
    tally.calls,
    tally.settled,
    tally.failed,
    backAfterMs === undefined ? "never" : Math.round(backAfterMs),
    tally.granted,
    tally.scarceGranted,
    tally.scarceAllowed,
    tally.lost,
    tally.doubled,
  ];
}
