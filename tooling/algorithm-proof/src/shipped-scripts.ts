import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripComments } from "@sluice/config/lua-text";
import { type Kernel, type LuaStorage, scriptsOf, writeScripts } from "@sluice/core/algorithm";
import { expect, it } from "vitest";

const CORE = new URL("../../../packages/core/lua/", import.meta.url);

/** Where an algorithm's Lua files are. */
export interface LuaFolders {
  /** The folder of its complete scripts. */
  readonly shipped: URL;
  /** The folder of its kernel's blocks; default: `kernel` in the one above. */
  readonly kernel?: URL;
  /** The files that make the block for corrections; default `adjust.lua`. */
  readonly adjust?: readonly string[];
}

/** Registers the proof that the scripts a package ships, to be read and run alone, are those that its limiters run. */
export function proveShippedScripts(kernel: Kernel, { shipped, kernel: own, adjust }: LuaFolders): void {
  it("ships its complete scripts, which are what its limiters run", async () => {
    const readable = readableScripts(kernel, own ?? new URL("kernel/", shipped), adjust ?? ["adjust.lua"]);
    const running = scriptsOf(kernel);
    for (const operation of ["consume", "adjust"] as const) {
      const file = fileURLToPath(new URL(`${operation}.lua`, shipped));
      await expect(readable[operation]).toMatchFileSnapshot(file);
      expect(stripComments(readable[operation])).toBe(stripComments(running[operation].text));
    }
  });
}

/** The scripts made as core makes them, but from the files as they are written, comments and all. */
function readableScripts(
  kernel: Kernel,
  own: URL,
  adjustFiles: readonly string[],
): Record<"consume" | "adjust", string> {
  const numbers = storageIn(new URL("numbers/", CORE));
  const templates = {
    consume: read("consume.lua", CORE),
    adjust: read("adjust.lua", CORE),
    clock: read("blocks/clock.lua", CORE),
    serverTime: read("blocks/server-time.lua", CORE),
    commit: read("blocks/commit.lua", CORE),
    policy: read("blocks/policy.lua", CORE),
    numbers,
  };
  const lua = {
    level: read("level.lua", own),
    consume: read("consume.lua", own),
    adjust: adjustFiles.map((file) => read(file, own)).join("\n"),
    blocks: blocksIn(own, kernel.lua.blocks ?? {}),
    storage: existsSync(new URL("read.lua", own)) ? storageIn(own) : undefined,
  };
  const perKey = kernel.perKey && { ...kernel.perKey, lua: read("policy.lua", own) };
  return writeScripts({ ...kernel, lua, perKey }, templates);
}

/** Blocks of a kernel: those that are files, and words that are not. */
function blocksIn(own: URL, blocks: Readonly<Record<string, string>>): Record<string, string> {
  const files = Object.entries(blocks).map(([name, text]) => {
    const isFile = existsSync(new URL(`${name}.lua`, own));
    return [name, isFile ? read(`${name}.lua`, own) : text] as const;
  });
  return Object.fromEntries(files);
}

function storageIn(folder: URL): LuaStorage {
  return { read: read("read.lua", folder), load: read("load.lua", folder), write: read("write.lua", folder) };
}

function read(file: string, folder: URL): string {
  return readFileSync(new URL(file, folder), "utf8");
}
