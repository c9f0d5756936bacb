import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PICTURE_PATH, picture } from "../src/picture.ts";

it("the committed picture is what the limiters decide today: `pnpm pictures` draws it anew", async () => {
  expect(readFileSync(PICTURE_PATH, "utf8")).toBe(await picture());
});
