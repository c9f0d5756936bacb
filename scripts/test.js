// `npm test`: runs every test. Arguments go to vitest, as in `npm test -- --project packages/core`.
import { run } from "./run.js";
import { setUp } from "./setup.js";

await setUp();
const withTsx = ["--import", "tsx"];
const redis = await run(process.execPath, [...withTsx, "tooling/redis-server/src/ensure.ts"]);
process.exitCode =
  redis === 0
    ? await run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)])
    : redis;
