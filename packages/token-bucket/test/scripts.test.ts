import { readFile } from "node:fs/promises";
import { stripComments } from "@sluice/config/lua-text";
import { scriptsOf, writeScripts } from "@sluice/core/algorithm";
import { expect, it } from "vitest";
import adjustTemplate from "../../core/lua/adjust.lua?raw";
import consumeTemplate from "../../core/lua/consume.lua?raw";
import adjust from "../lua/kernel/adjust.lua?raw";
import consume from "../lua/kernel/consume.lua?raw";
import level from "../lua/kernel/level.lua?raw";
import { algorithm } from "../src/token-bucket.js";

void readFile;
const templates = { consume: consumeTemplate, adjust: adjustTemplate };
const readable = writeScripts(algorithm, { level, consume, adjust }, templates);

it("ships its complete scripts, which are what runs on the server", async () => {
  await expect(readable.consume).toMatchFileSnapshot("../lua/consume.lua");
  await expect(readable.adjust).toMatchFileSnapshot("../lua/adjust.lua");
  expect(stripComments(readable.consume)).toBe(scriptsOf(algorithm).consume.text);
  expect(stripComments(readable.adjust)).toBe(scriptsOf(algorithm).adjust.text);
});
