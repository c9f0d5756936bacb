// Runs turbo's tasks, which need pnpm on the PATH: `node scripts/turbo.js build types`.
import { pnpm } from "./pnpm.js";
import { run } from "./run.js";

process.exitCode = await run(...pnpm(["exec", "turbo", "run", ...process.argv.slice(2)]));
