import { describe, expect, it } from "vitest";
import { type Column, PlainColumn, StateColumn } from "../src/state-column.js";

/** What lies in the first rows. */
function rowsOf(column: Column<unknown>, count: number): unknown[] {
  return Array.from({ length: count }, (_, row) => column.get(row));
}

describe.each([
  ["anything", () => new PlainColumn<unknown>()],
  ["states", () => new StateColumn()],
])("a column of %s", (_, make) => {
  it.each([
    [
      "numbers",
      [
        [1, 1_700_000_000_000, 5],
        [2, 3, 4],
        [0, 0, 0],
      ],
    ],
    ["numbers, and other numbers of them later", [[1, 2], [1, 2, 3], [], [4, 5]]],
    ["numbers, and something else later", [[1, 2], { used: 1 }, ["1", 2], [3, 4]]],
    ["something else, and numbers later", [{ used: 1 }, [1, 2], "state"]],
  ])("gives back what was set: %s", (_, states) => {
    const column = make();
    for (const [row, state] of states.entries()) column.set(row, state);
    expect(rowsOf(column, states.length + 1)).toEqual([...states, undefined]);
    column.set(1, states[0]);
    column.pop();
    expect(rowsOf(column, states.length)).toEqual([states[0], states[0], ...states.slice(2, -1), undefined]);
  });

  it("begins anew once it is empty", () => {
    const column = make();
    column.set(0, [1, 2]);
    column.pop();
    expect(column.get(0)).toBeUndefined();
    column.set(0, { used: 1 });
    column.set(1, [1, 2]);
    expect(rowsOf(column, 2)).toEqual([{ used: 1 }, [1, 2]]);
  });
});
