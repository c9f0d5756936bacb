import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";
import { luaText } from "../src/workbench.ts";

const GUIDE = join(ROOT, "docs/from-hand-written-scripts.md");

it("the guide shows every script as it is run, without its head", () => {
  const blocks = [...readFileSync(GUIDE, "utf8").matchAll(/^```lua\n(.*?)^```$/gms)].map(
    ([, block]) => block,
  );
  const scripts = readdirSync(new URL("../lua", import.meta.url)).map((file) => basename(file, ".lua"));
  const bodies = scripts.map((name) => luaText(name).replaceAll(/^--.*\n/gm, ""));
  expect(blocks.sort()).toEqual(bodies.sort());
});
