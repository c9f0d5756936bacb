import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { luaTextForEsbuild } from "@sluice/config/lua-text";
import { build } from "tsup";

/** A TypeScript program over the sources, as one file that Node runs. */
export interface Bundle {
  readonly program: string;
  remove(): Promise<void>;
}

/** @param whole whether all that it depends on is in the file: for runtimes that look into no node_modules */
export async function bundle(path: string, { whole = false }: { whole?: boolean } = {}): Promise<Bundle> {
  // in its own package, so that what it imports is found, and where nobody commits it
  const folder = await mkdtemp(join(packageOf(path), "node_modules/.alone-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true });
  try {
    await build({
      config: false,
      silent: true,
      entry: { program: path },
      format: "esm",
      outDir: folder,
      skipNodeModulesBundle: !whole,
      // the sources, and what core depends on, which is not found from other packages
      noExternal: [whole ? /^(?!node:)/ : /^@(sluice|lukeed)\//],
      platform: whole ? "neutral" : "node",
      esbuildPlugins: [luaTextForEsbuild()],
      esbuildOptions(options) {
        options.conditions = ["@sluice/source"];
      },
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { program: join(folder, "program.js"), remove };
}

/** The folder of the package that a file belongs to. */
function packageOf(path: string): string {
  const folder = dirname(path);
  if (folder === path) throw new Error("the file belongs to no package");
  return existsSync(join(folder, "package.json")) ? folder : packageOf(folder);
}
