import { stripComments } from "@sluice/config/lua-text";
import { scriptsOf, writeScripts } from "@sluice/core/algorithm";
import { expect, it } from "vitest";
import adjustTemplate from "../../core/lua/adjust.lua?raw";
import consumeTemplate from "../../core/lua/consume.lua?raw";
import adjust from "../lua/kernel/adjust.lua?raw";
import consume from "../lua/kernel/consume.lua?raw";
import level from "../lua/kernel/level.lua?raw";
import { algorithm } from "../src/token-bucket.js";

const templates = { consume: consumeTemplate, adjust: adjustTemplate };
const shipped = writeScripts(algorithm, { level, consume, adjust }, templates);

it.each(["consume", "adjust"] as const)(
  "ships a complete %s script, written from its kernel",
  async (name) => {
    await expect(shipped[name]).toMatchFileSnapshot(`../lua/${name}.lua`);
  },
);

it.each(["consume", "adjust"] as const)(
  "runs the %s script that is shipped, without its comments",
  (name) => {
    expect(stripComments(shipped[name])).toBe(scriptsOf(algorithm)[name].text);
  },
);
