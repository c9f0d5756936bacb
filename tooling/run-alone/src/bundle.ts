import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { luaTextForEsbuild } from "@sluice/config/lua-text";
import { build } from "tsup";

/** A TypeScript program over the sources, as one file that Node runs. */
export interface Bundle {
  readonly program: string;
  remove(): Promise<void>;
}

export async function bundle(path: string): Promise<Bundle> {
  // beside the file, so that what it imports is found, and where nobody commits it
  const folder = await mkdtemp(join(path, "../../node_modules/.alone-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true });
  try {
    await build({
      config: false,
      silent: true,
      entry: { program: path },
      format: "esm",
      outDir: folder,
      skipNodeModulesBundle: true,
      // the sources, and what core depends on, which is not found from other packages
      noExternal: [/^@(sluice|lukeed)\//],
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
