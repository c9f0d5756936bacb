import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs } from "../src/duration.js";

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

describe("a duration", () => {
  it.each([
    [1, 1],
    [250, 250],
    [31_536_000_000, 31_536_000_000],
    ["250ms", 250],
    ["1s", 1_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["1d", 86_400_000],
    ["1w", 604_800_000],
    ["365d", 31_536_000_000],
    ["1.5s", 1_500],
    [".5s", 500],
    ["1 s", 1_000],
    [" 1s ", 1_000],
    ["2 minutes", 120_000],
    ["365.25 days", 31_557_600_000],
  ])("of %j is %i ms", (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  it.each([
    [1, ["ms", "millisecond", "milliseconds"]],
    [1_000, ["s", "sec", "secs", "second", "seconds"]],
    [60_000, ["m", "min", "mins", "minute", "minutes"]],
    [3_600_000, ["h", "hr", "hrs", "hour", "hours"]],
    [86_400_000, ["d", "day", "days"]],
    [604_800_000, ["w", "week", "weeks"]],
  ])("of a unit of %i ms may be written with each of its names: %j", (ms, names) => {
    for (const name of names) {
      expect([name, durationMs(`3${name}`), durationMs(`3 ${name}`)]).toEqual([name, 3 * ms, 3 * ms]);
    }
  });

  it.each([
    [1000 / 300, 4],
    [0.001, 1],
    [1.5, 2],
    ["0.5ms", 1],
    ["1.0001s", 1_001],
    ["0.0001s", 1],
  ])("of %j rounds a fraction of a millisecond up, to %i ms", (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  it.each([
    ["1.1h", 3_960_000],
    ["0.1d", 8_640_000],
    ["2.3d", 198_720_000],
    ["4.35s", 4_350],
    ["365.1d", 31_544_640_000],
  ])(
    "of %j is the whole number that it says, whatever binary makes of the fraction: %i ms",
    (duration, ms) => {
      expect(durationMs(duration)).toBe(ms);
    },
  );

  it("is the decimal number that is written, rounded up once", () => {
    const unit = fc.constantFrom(...Object.entries(UNITS_MS));
    const thousandths = fc.integer({ min: 1, max: 4_000_000 });
    fc.assert(
      fc.property(thousandths, unit, (number, [name, unitMs]) => {
        const exact = (BigInt(number) * BigInt(unitMs) + 999n) / 1000n;
        expect(durationMs(`${number / 1000}${name}`)).toBe(Number(exact));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    0,
    -0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2 ** 53,
    "",
    " ",
    "abc",
    "s",
    "0",
    "100",
    "1M",
    "1S",
    "0s",
    "-1s",
    "1e3",
    "NaN",
    "Infinity",
    "1 month",
    "1y",
    "1 yr",
    "1 year",
    "2 years",
    "1 fortnight",
    "1 2s",
    "1s,",
    "1h30m",
    "1s 1s",
    "1,5s",
    "0x10",
    "99999999999999999999d",
    undefined,
    null,
    true,
    10n,
    [1_000],
    { ms: 1 },
  ])("is not %o", (value) => {
    expect(durationMs(value)).toBeUndefined();
  });

  it.each(["5mh", "1sm", "1dw", "1msh"])("is not %j, which has two units", (value) => {
    expect(durationMs(value)).toBeUndefined();
  });
});
