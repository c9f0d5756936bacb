import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PICTURES } from "../src/picture.ts";

it.each(PICTURES)(
  "the committed picture $name is what the limiters decide today: `pnpm pictures` draws it anew",
  async ({ path, draw }) => {
    expect(readFileSync(path, "utf8")).toBe(await draw());
  },
);
