import { expect, it } from "vitest";
import { markdownTable, replaceSection } from "../src/publish/section.ts";

it("replaces what lies between two marks, and only that", () => {
  const markdown = "before\n<!-- it -->\nold\n<!-- /it -->\nafter\n";
  expect(replaceSection(markdown, "it", "new")).toBe("before\n<!-- it -->\nnew\n<!-- /it -->\nafter\n");
});

it("refuses a file without the marks", () => {
  expect(() => replaceSection("<!-- /it --> <!-- it -->", "it", "new")).toThrow("no section <!-- it -->");
});

it("writes a table whose numbers stand to the right", () => {
  expect(markdownTable(["what", "how much"], [["bytes", "104"]])).toBe(
    "| what | how much |\n| --- | ---: |\n| bytes | 104 |",
  );
});
