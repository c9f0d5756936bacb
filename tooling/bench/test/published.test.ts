import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PUBLISHED, readResults } from "../src/publish/published.ts";

it.each(PUBLISHED)(
  "$name has the figures of the committed results: `npm run bench -- --publish` makes both anew",
  async ({ path, make }) => {
    expect(await make(readResults())).toBe(readFileSync(path, "utf8"));
  },
);
