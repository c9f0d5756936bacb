import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dateOfUnits,
  firstGrant,
  type LogState,
  usedOf,
  withChange,
  withGrant,
  withoutGone,
} from "../src/log-state.js";

/** A log of grants of one unit each, one a millisecond from 1 on. */
function logOf(grants: number): LogState {
  let log = firstGrant(1, 1);
  for (let ms = 2; ms <= grants; ms++) log = withGrant(log, ms, 1);
  return log;
}

/** What a log says of itself: when each of its units was granted. */
function datesOf(log: LogState | undefined): number[] {
  if (log === undefined) return [];
  return Array.from({ length: usedOf(log) }, (_, unit) => dateOfUnits(log, unit + 1));
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("grant" as const),
      apartMs: fc.nat({ max: 2 }),
      units: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ do: fc.constant("drop" as const), keptMs: fc.nat({ max: 20 }) }),
    fc.record({
      do: fc.constant("change" as const),
      agoMs: fc.nat({ max: 20 }),
      delta: fc.integer({ min: -4, max: 4 }),
    }),
    // goes on from a state that was left behind
    fc.record({ do: fc.constant("return" as const), which: fc.nat() }),
  ),
  { minLength: 1, maxLength: 150, size: "max" },
);

describe("the state of a log", () => {
  it("never changes, whatever is made of it: a state of long ago tells what it told", () => {
    const property = fc.property(steps, (some) => {
      let log = firstGrant(1_000, 1);
      const seen: { log: LogState; told: number[] }[] = [{ log, told: [1_000] }];
      for (const step of some) {
        let next: LogState | undefined = log;
        if (step.do === "grant") next = withGrant(log, log.lastMs + step.apartMs, step.units);
        if (step.do === "drop") next = withoutGone(log, log.lastMs - step.keptMs);
        if (step.do === "change") next = withChange(log, log.lastMs - step.agoMs, step.delta);
        if (step.do === "return") next = seen[step.which % seen.length]?.log;
        if (next === undefined || usedOf(next) === 0) continue;
        log = next;
        seen.push({ log, told: datesOf(log) });
      }
      for (const { log: one, told } of seen) expect(datesOf(one)).toEqual(told);
    });
    fc.assert(property);
  });

  it("tells when each unit was granted, oldest first", () => {
    const log = withGrant(withGrant(firstGrant(10, 2), 10, 1), 15, 2);
    expect(datesOf(log)).toEqual([10, 10, 10, 15, 15]);
    expect(datesOf(withoutGone(log, 10))).toEqual([15, 15]);
    expect(withoutGone(log, 15)).toBeUndefined();
  });

  it("takes back from a date no more than was granted then, and nothing where nothing was", () => {
    const log = withGrant(withGrant(firstGrant(10, 2), 12, 3), 15, 2);
    expect(datesOf(withChange(log, 12, -9))).toEqual([10, 10, 15, 15]);
    expect(withChange(log, 11, -1)).toBe(log);
    expect(withChange(log, 16, -1)).toBe(log);
  });

  it("forgets its last date with the last unit of it, and those before of which nothing is left either", () => {
    const log = withChange(withGrant(withGrant(firstGrant(10, 2), 12, 3), 15, 2), 12, -3);
    expect(withChange(log, 15, -1).lastMs).toBe(15);
    expect(withChange(log, 15, -2).lastMs).toBe(10);
  });

  it("shares its entries with the one before, and copies them when another has gone on from there", () => {
    const log = logOf(100);
    const [one, other] = [withGrant(log, 200, 1), withGrant(log, 300, 1)];
    expect(one.dates).toBe(log.dates);
    expect(other.dates).not.toBe(log.dates);
    expect([datesOf(one).at(-1), datesOf(other).at(-1)]).toEqual([200, 300]);
  });

  it("keeps no more than twice what counts, and 64, however long it is used", () => {
    let log: LogState | undefined = logOf(1);
    for (let ms = 2; ms <= 10_000; ms++) {
      const kept: LogState | undefined = withoutGone(log ?? logOf(1), ms - 100);
      log = kept === undefined ? firstGrant(ms, 1) : withGrant(kept, ms, 1);
      expect(log.dates.length).toBeLessThanOrEqual(2 * 100 + 64);
    }
    expect(usedOf(log)).toBe(100);
  });

  it("starts its running totals anew before they are too large to be exact", () => {
    let log: LogState | undefined = firstGrant(0, 2 ** 47);
    for (let ms = 1; ms < 200; ms++) {
      const kept: LogState | undefined = withoutGone(log ?? firstGrant(0, 1), ms - 2);
      log = kept === undefined ? firstGrant(ms, 2 ** 47) : withGrant(kept, ms, 2 ** 47);
      expect(log.lastTotal).toBeLessThan(2 ** 53);
      expect(usedOf(log)).toBe(2 ** 48);
    }
  });
});
