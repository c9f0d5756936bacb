// `pnpm bench`: measures. Arguments go to the benchmark, as in `pnpm bench --quick --only throughput`.
import { run } from "./run.js";
import { setUp } from "./setup.js";

await setUp();
const command = ["--import", "tsx", "tooling/bench/src/cli.ts", ...process.argv.slice(2)];
process.exitCode = await run(process.execPath, command);
