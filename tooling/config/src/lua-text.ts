import { readFile } from "node:fs/promises";

const LUA_FILE = /\.lua$/;

/**
 * Drops what a server need not receive and hash: lines that hold nothing but a comment, indentation, and
 * blank lines. Whatever follows code on its line stays as it is, since `--` may stand inside a string.
 */
export function stripComments(lua: string): string {
  const lines = lua.split(/\r?\n/).map((line) => line.trimStart());
  return lines.filter((line) => line.trim() !== "" && !line.startsWith("--")).join("\n");
}

/** A Lua file as the JavaScript module that `import text from "./x.lua"` loads. */
export function luaModule(lua: string): string {
  return `export default ${JSON.stringify(stripComments(lua))};`;
}

/** The part of esbuild's plugin interface that is used here, so that nothing depends on its version. */
interface EsbuildPlugin {
  name: string;
  setup(build: {
    onLoad(
      options: { filter: RegExp },
      load: (args: { path: string }) => Promise<{ contents: string; loader: "js" }>,
    ): void;
  }): void;
}

/** Lua files as text in builds. */
export function luaTextForEsbuild(): EsbuildPlugin {
  return {
    name: "lua-text",
    setup(build) {
      build.onLoad({ filter: LUA_FILE }, async ({ path }) => ({
        contents: luaModule(await readFile(path, "utf8")),
        loader: "js",
      }));
    },
  };
}

/** The part of Vite's plugin interface that is used here. */
interface VitePlugin {
  name: string;
  enforce: "pre";
  transform(code: string, id: string): { code: string; map: null } | undefined;
}

/** Lua files as text in tests. `?raw` still gives the file as it is. */
export function luaTextForVite(): VitePlugin {
  return {
    name: "lua-text",
    enforce: "pre",
    transform(code, id) {
      return LUA_FILE.test(id) ? { code: luaModule(code), map: null } : undefined;
    },
  };
}
