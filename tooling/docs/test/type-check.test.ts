import { expect, it } from "vitest";
import { typeCheck } from "../src/type-check.ts";

it("reports an error at its line in the Markdown file, and each block by itself", () => {
  const errors = typeCheck([
    { name: "A.md:10", code: "const n = 1;\nconst s: string = n;\n" },
    { name: "A.md:20", code: "const n = 'another module';\nconsole.log(n, await Promise.resolve(1));\n" },
  ]);
  expect(errors.get("A.md:10")).toEqual(["A.md:11: Type 'number' is not assignable to type 'string'."]);
  expect(errors.get("A.md:20")).toEqual([]);
});
