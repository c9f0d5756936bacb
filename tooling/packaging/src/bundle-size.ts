import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publicPackages } from "./public-packages.ts";

/** What an application ships that takes one thing of one package, and all that it needs of core. */
export interface Bundle {
  readonly packageName: string;
  readonly exported: string;
  /** Minified and gzipped bytes that it may have, scripts included. */
  readonly atMost: number;
}

/** As it is plus some 2 %: whoever makes it larger says so here. */
export const BUNDLES: readonly Bundle[] = [
  { packageName: "@sluice/token-bucket", exported: "tokenBucket", atMost: 17_600 },
  { packageName: "@sluice/fixed-window", exported: "fixedWindow", atMost: 16_700 },
  { packageName: "@sluice/sliding-window", exported: "slidingWindowLog", atMost: 18_400 },
  { packageName: "@sluice/sliding-window", exported: "slidingWindowCounter", atMost: 17_500 },
  { packageName: "@sluice/leaky-bucket", exported: "leakyBucket", atMost: 17_700 },
];

/** How many bytes a bundle has. The packages must have been built. */
export async function bundleSize({ packageName, exported }: Omit<Bundle, "atMost">): Promise<number> {
  const found = publicPackages().find(({ name }) => name === packageName);
  if (found === undefined) throw new Error(`there is no package ${packageName}`);
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${exported} } from "./dist/index.js";`,
      resolveDir: found.folder,
      sourcefile: join(found.folder, "application.js"),
    },
    bundle: true,
    minify: true,
    format: "esm",
    // as for a browser: nothing of Node is there to be left out
    platform: "browser",
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${packageName} made no bundle`);
  return gzipSync(file.contents, { level: 9 }).length;
}

/** What is wrong with a bundle's size, in words; undefined when nothing is. */
export function sizeProblem({ atMost }: Pick<Bundle, "atMost">, bytes: number): string | undefined {
  if (bytes > atMost) return `${bytes - atMost} bytes more than it may have`;
  // or the bound would have become one that nothing can reach
  if (bytes < atMost * 0.95) return `${atMost - bytes} bytes less than it may have: lower the bound`;
  return undefined;
}
