import { expect, it } from "vitest";
import { markdownTable, textTable } from "../src/table.ts";

const HEADS = ["fault", "calls"];
const ROWS = [
  ["cut", 12],
  ["half-open", 1_234],
];

it("aligns texts to the left and numbers to the right", () => {
  expect(textTable(HEADS, ROWS)).toBe("fault      calls\ncut           12\nhalf-open  1,234");
});

it("writes the same as Markdown", () => {
  expect(markdownTable(HEADS, ROWS)).toBe(
    "| fault | calls |\n| --- | ---: |\n| cut | 12 |\n| half-open | 1,234 |",
  );
});
