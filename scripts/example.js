// `pnpm example <name>`: runs one of the examples; without a name it tells which there are.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.js";
import { run } from "./run.js";
import { setUp } from "./setup.js";

const FOLDER = join(ROOT, "examples");
const [name = "", ...args] = process.argv.slice(2);
const file = join(FOLDER, `${name}.ts`);

if (/^[\w-]+$/.test(name) && existsSync(file)) {
  await setUp();
  process.exitCode = await run(process.execPath, ["--import", "tsx", file, ...args]);
} else {
  console.error(`${name === "" ? "Which" : `There is no ${name}; which`} example?\n`);
  for (const program of programs()) console.error(`  pnpm example ${program}`);
  process.exitCode = 1;
}

/** The files that say how they are started; the others are what these share. */
function programs() {
  const files = readdirSync(FOLDER).filter((entry) => entry.endsWith(".ts"));
  return files
    .map((entry) => entry.slice(0, -".ts".length))
    .filter((entry) => readFileSync(join(FOLDER, `${entry}.ts`), "utf8").includes(`pnpm example ${entry}`));
}
