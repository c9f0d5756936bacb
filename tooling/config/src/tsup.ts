import { defineConfig } from "tsup";
import { luaTextForEsbuild } from "./lua-text.ts";

/**
 * How a public package is built: ES modules and CommonJS, with types for both.
 *
 * Entries share their common code in chunks (`splitting`), in both formats: a class that two entries export
 * is one class.
 *
 * @param entries source files, by default `src/index.ts`
 */
export function packageConfig(entries: string[] = ["src/index.ts"]): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry: entries,
    format: ["esm", "cjs"],
    platform: "neutral",
    target: "es2022",
    splitting: true,
    treeshake: false,
    clean: true,
    silent: true,
    removeNodeProtocol: false,
    external: [/^node:/],
    sourcemap: true,
    // Sources are in the package already.
    esbuildOptions(options) {
      options.sourcesContent = false;
    },
    esbuildPlugins: [luaTextForEsbuild()],
    // tsup passes `baseUrl` to the compiler, which TypeScript 6 reports as deprecated.
    dts: { compilerOptions: { ignoreDeprecations: "6.0" } },
  });
}
