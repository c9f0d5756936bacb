import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The pnpm that `package.json` names, such as `pnpm@1.2.3`: the one place where its version stands. */
export function packageManager() {
  return String(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).packageManager);
}
