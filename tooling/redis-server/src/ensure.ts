// Run before the tests: installs a server where there is none, once and not in every test at the same time.
import { findServer } from "./find-server.ts";

try {
  await findServer();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
