import { expect, it } from "vitest";
import { inRounds } from "../src/rounds.ts";

it("runs everybody in every round, in another order each time", async () => {
  const order: string[] = [];
  const samples = await inRounds(["a", "b", "c"], 4, async (name) => order.push(name));
  expect(order.join("")).toBe("abc" + "acb" + "cab" + "cba");
  expect([...samples].map(([name, ofIt]) => [name, ofIt.length])).toEqual([
    ["a", 4],
    ["b", 4],
    ["c", 4],
  ]);
});
