import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pnpm } from "./pnpm.js";
import { ROOT } from "./root.js";
import { runQuietly } from "./run.js";

/** Remembers what was installed last, so that an unchanged clone need not ask pnpm. */
const STAMP = join(ROOT, "node_modules", ".installed");

/** Makes a fresh clone ready: installs what the lockfile says, and builds the packages. */
export async function setUp() {
  const wanted = installHash();
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== wanted) {
    console.error("Setting up: the first time takes about a minute …");
    await runQuietly(...pnpm(["install", "--frozen-lockfile"]));
    writeFileSync(STAMP, wanted);
  }
  // turbo knows what is built already.
  await runQuietly(...pnpm(["exec", "turbo", "run", "build"]));
}

/** Changes whenever an install might. */
function installHash() {
  const folders = ["packages", "tooling"].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).map((name) => join(parent, name)),
  );
  const manifests = ["", "examples", ...folders].map((folder) => join(folder, "package.json"));
  const hash = createHash("sha256").update(process.version);
  for (const file of [...manifests, "pnpm-lock.yaml", "pnpm-workspace.yaml"]) {
    if (existsSync(join(ROOT, file))) hash.update(file).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex");
}
