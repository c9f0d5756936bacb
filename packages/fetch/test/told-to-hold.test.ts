import { describe, expect, it } from "vitest";
import { toldToHoldMs } from "../src/told-to-hold.js";

const NOW_MS = Date.UTC(2030, 0, 1);

/** What a response with these headers says at a certain time. */
function told(headers: Record<string, string>, status = 429): number {
  return toldToHoldMs({ status, headers: new Headers(headers) }, NOW_MS);
}

function dateIn(seconds: number): string {
  return new Date(NOW_MS + seconds * 1000).toUTCString();
}

describe("a refusal holds for", () => {
  it.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["a fraction of a second, rounded up to a millisecond", { "retry-after": "0.0015" }, 2],
    ["no time at all", { "retry-after": "0" }, 0],
    ["the time until a date", { "retry-after": dateIn(9) }, 9_000],
    ["no time where the date is over", { "retry-after": dateIn(-9) }, 0],
    [
      "the time until a date, by the clock of the other side",
      { "retry-after": dateIn(3_609), date: dateIn(3_600) },
      9_000,
    ],
    [
      "the time until a date, where the other side's own makes no sense",
      { "retry-after": dateIn(9), date: "?" },
      9_000,
    ],
    ["what the quota says that is used up", { ratelimit: '"burst";r=0;t=30' }, 30_000],
    [
      "the longest of those used up",
      { ratelimit: '"burst";r=0;t=3, "hour";r=0;t=60, "day";r=5;t=9000' },
      60_000,
    ],
    ["the longest of all where none is used up", { ratelimit: '"burst";r=1;t=3, "hour";r=2;t=60' }, 60_000],
    ["what draft 6 says", { "ratelimit-limit": "5", "ratelimit-reset": "12" }, 12_000],
    ["what the legacy header says in seconds", { "x-ratelimit-reset": "13" }, 13_000],
    ["or as a time", { "x-ratelimit-reset": String(NOW_MS / 1000 + 14) }, 14_000],
    [
      "or as a time by another clock",
      { "x-ratelimit-reset": String(NOW_MS / 1000 + 3_614), date: dateIn(3_600) },
      14_000,
    ],
  ])("%s", (_what, headers, holdMs) => {
    expect(told(headers)).toBe(holdMs);
  });

  it("what the first of these headers says that makes sense", () => {
    const all = {
      "retry-after": "1",
      ratelimit: '"a";r=0;t=2',
      "ratelimit-reset": "3",
      "x-ratelimit-reset": "4",
    };
    expect(told(all)).toBe(1_000);
    expect(told({ ...all, "retry-after": "soon" })).toBe(2_000);
    expect(told({ ...all, "retry-after": "soon", ratelimit: '"a' })).toBe(3_000);
    expect(told({ ...all, "retry-after": "", ratelimit: "", "ratelimit-reset": "-3" })).toBe(4_000);
  });

  it("as long with 503 as with 429", () => {
    expect(told({ "retry-after": "7" }, 503)).toBe(7_000);
  });
});

describe("nothing is held", () => {
  it.each([200, 204, 301, 400, 403, 500, 502])("by a response of %i", (status) => {
    expect(told({ "retry-after": "7", ratelimit: '"a";r=0;t=2', "x-ratelimit-reset": "4" }, status)).toBe(0);
  });

  it.each([
    {},
    { "retry-after": "soon" },
    { "retry-after": "-5" },
    { "retry-after": "1e3" },
    { "retry-after": "2030-01-01" },
    { ratelimit: "limit=5" },
    { ratelimit: '"a";r=0' },
    { ratelimit: '"a";r=0;t=-1' },
    { ratelimit: '"a";r=0;t=soon' },
    { ratelimit: '"a";r=0;t=2,' },
    { "ratelimit-reset": "5m" },
    // milliseconds since the epoch
    { "x-ratelimit-reset": String(NOW_MS) },
  ])("by %j", (headers) => {
    expect(told(headers)).toBe(0);
  });
});
