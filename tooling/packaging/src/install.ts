import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tarball } from "./pack.ts";
import { output } from "./process.ts";

/**
 * Installs the tarballs into `folder`, with what they depend on, as somebody's project would.
 *
 * @param others by their versions, such as optional peers
 */
export async function installInto(
  folder: string,
  tarballs: readonly Tarball[],
  others: Readonly<Record<string, string>> = {},
): Promise<void> {
  const fromFiles = Object.fromEntries(tarballs.map(({ name, path }) => [name, `file:${path}`]));
  // A package that depends on another one gets the packed one, and never one from the registry.
  const dependencies = { ...fromFiles, ...others };
  const manifest = { name: "fresh", private: true, dependencies, overrides: fromFiles };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  await output("npm", ["install", "--prefer-offline", ...quiet], folder);
}
