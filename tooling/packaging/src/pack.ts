import { join } from "node:path";
import { pnpm } from "../../../scripts/pnpm.js";
import { ROOT } from "../../../scripts/root.js";
import { build } from "./build.ts";
import { output } from "./process.ts";
import { type PublicPackage, publicPackages } from "./public-packages.ts";

/** A package as it would be published. */
export interface Tarball extends PublicPackage {
  path: string;
}

/** Builds the public packages, where that is not done yet, and packs them into `folder`. */
export async function packInto(folder: string): Promise<Tarball[]> {
  await build();
  const packages = publicPackages();
  const filters = packages.flatMap(({ name }) => ["--filter", name]);
  await output(...pnpm(["--recursive", ...filters, "pack", "--pack-destination", folder]), ROOT);
  return packages.map((one) => ({ ...one, path: join(folder, tarballName(one)) }));
}

function tarballName({ name, version }: PublicPackage): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}
