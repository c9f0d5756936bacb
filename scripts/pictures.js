// `pnpm pictures`: draws the pictures of the documentation anew, from what the limiters decide.
import { run } from "./run.js";
import { setUp } from "./setup.js";

await setUp();
process.exitCode = await run(process.execPath, ["--import", "tsx", "tooling/pictures/src/cli.ts"]);
