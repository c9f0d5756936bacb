// `npm start`: shows a limiter at work.
import { run } from "./run.js";
import { setUp } from "./setup.js";

await setUp();
process.exitCode = await run(process.execPath, ["--import", "tsx", "examples/timeline.ts"]);
