import { describe, expect, it, vi } from "vitest";
import { MemoryStates } from "../src/memory-states.js";
import { limitOf } from "./limit-of.js";

/** A tally of 10 in an hour, and where its states are kept. */
function setUp() {
  const beforeAdd = vi.fn<(nowMs: number) => void>();
  const states = new MemoryStates(beforeAdd);
  const limit = limitOf("api");
  const table = states.of(limit);
  const write = (used: number, nowMs: number) =>
    states.write(limit, table, "ada", table.find("ada"), [used, 0], nowMs);
  return { beforeAdd, states, limit, table, write };
}

describe("the states in memory", () => {
  it("of a limit lie in one table, whichever limiter of that name asks", () => {
    const { states, table } = setUp();
    expect(states.of(limitOf("api", 99))).toBe(table);
    expect(states.of(limitOf("other"))).not.toBe(table);
    expect([...states.tables()]).toHaveLength(2);
  });

  it("are added once it was told, and changed in place", () => {
    const { beforeAdd, table, write } = setUp();
    write(1, 5);
    write(2, 6);
    expect(beforeAdd.mock.calls).toEqual([[5]]);
    expect([table.size, table.state(0)]).toEqual([1, [2, 0]]);
  });

  it("go as soon as they say no more than a missing one", () => {
    const { table, write } = setUp();
    write(1, 0);
    write(0, 1);
    expect(table.size).toBe(0);
    write(0, 2);
    expect(table.size).toBe(0);
  });

  it("are written by a call that took something, and by a denial only where it re-dates them", () => {
    const { states, limit, table, write } = setUp();
    write(1, 0);
    const commit = (taken: number, redated: boolean, used: number) => {
      const verdict = { taken, redated, state: [used, 0], facts: [used, 0] };
      states.commit(limit, table, "ada", table.find("ada"), verdict, 0);
      return table.state(0);
    };
    expect(commit(-1, false, 7)).toEqual([1, 0]);
    expect(commit(0, true, 7)).toEqual([1, 0]);
    expect(commit(-1, true, 7)).toEqual([7, 0]);
    expect(commit(1, false, 8)).toEqual([8, 0]);
  });

  it("are forgotten, where there are any", () => {
    const { states, limit, table, write } = setUp();
    write(1, 0);
    for (const key of ["ada", "bob", "ada"]) states.forget(limit, key);
    states.forget(limitOf("other"), "ada");
    expect([table.size, [...states.tables()].length]).toEqual([0, 1]);
  });
});
