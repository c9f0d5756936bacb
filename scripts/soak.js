// `pnpm soak`: compares every algorithm's kernels with one another and with its model, by ever new random traces, until
// it is stopped or finds a difference. `pnpm soak 600` stops by itself after 600 seconds.
import { run } from "./run.js";
import { setUp } from "./setup.js";

await setUp();
const [seconds = "Infinity"] = process.argv.slice(2);
process.env.SLUICE_SOAK_SECONDS = seconds;
process.exitCode = await run("npx", ["vitest", "run", "proof.test.ts", "--reporter=default"]);
