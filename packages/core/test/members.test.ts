import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { membersOf, setMembers } from "../src/members.js";
import { memoryStore } from "../src/memory-store.js";
import { tally } from "./tiny-algorithm.js";

const store = memoryStore();
const second = tally({ name: "per-second", limit: 1, window: "1s", store });
const day = tally({ name: "per-day", limit: 5, window: "1d", store });
const hour = tally({ name: "per-hour", limit: 3, window: "1h", store });

function namesIn(limiter: unknown): string[] | undefined {
  return membersOf(limiter)?.map(({ limit }) => limit.name);
}

describe("the limits that a limiter is made of", () => {
  it("are itself, with its store", () => {
    expect(membersOf(day)).toMatchObject([{ limiter: day, store, limit: { name: "per-day", limit: 5 } }]);
    expect(membersOf(day)?.[0]?.store).toBe(store);
  });

  it("are those of its present policy", () => {
    expect(membersOf(day.with({ limit: 7 }))).toMatchObject([{ limit: { name: "per-day", limit: 7 } }]);
  });

  it("are all of a composite's, in order, also where those are composites", () => {
    const inner = compose([day, hour]);
    expect(namesIn(inner)).toEqual(["per-day", "per-hour"]);
    expect(namesIn(compose([compose([second]), inner]))).toEqual(["per-second", "per-day", "per-hour"]);
  });

  it("do not show, so that a limiter copied by its properties is none", () => {
    expect(Object.keys(day)).not.toContain("members");
    expect(membersOf({ ...day })).toBeUndefined();
  });

  it("are found by another copy of this package", () => {
    const symbols = Object.getOwnPropertySymbols(day);
    expect(symbols.map(Symbol.keyFor)).toEqual(["@sluice/core/members/1"]);
  });

  it("cannot be replaced", () => {
    expect(() => setMembers(day, [])).toThrow(TypeError);
    expect(namesIn(day)).toEqual(["per-day"]);
  });

  it.each([undefined, null, 5, "api", {}, [], () => {}])("are none of what is no limiter: %o", (other) => {
    expect(membersOf(other)).toBeUndefined();
  });
});
