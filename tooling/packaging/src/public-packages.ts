import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/root.js";

/** A package that is published. */
export interface PublicPackage {
  name: string;
  /** Its folder, absolute. */
  folder: string;
  version: string;
  /** What can be imported of it: `@sluice/core`, `@sluice/core/testing`, … */
  entries: string[];
  /** The clients or frameworks that its users have installed themselves. */
  peers: string[];
}

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports: Record<string, unknown>;
  peerDependencies?: Record<string, string>;
}

/** Every package under `packages/` that is not private, by name. */
export function publicPackages(): PublicPackage[] {
  const parent = join(ROOT, "packages");
  const folders = readdirSync(parent).map((name) => join(parent, name));
  return folders.flatMap((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (manifest.private === true) return [];
    const paths = Object.keys(manifest.exports).filter((path) => path !== "./package.json");
    const entries = paths.map((path) => manifest.name + path.slice(1));
    const peers = Object.keys(manifest.peerDependencies ?? {});
    return [{ name: manifest.name, folder, version: manifest.version, entries, peers }];
  });
}
