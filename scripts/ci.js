// Every check, one after the other: goes on after a failure, and ends with the sum.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./run.js";
import { readTestReport } from "./test-report.js";

const TESTS_TIMEOUT_MS = 360_000;
const CHECK_TIMEOUT_MS = 120_000;
/** Scripts of package.json; each counts as one. */
const CHECKS = ["lint", "types", "build", "packaging"];

const total = await runTests();
for (const check of CHECKS) {
  heading(check);
  const code = await run("npm", ["run", check], { timeoutMs: CHECK_TIMEOUT_MS });
  total[code === 0 ? "passed" : "failed"] += 1;
  if (code !== 0) console.log(`${check} failed`);
}

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runTests() {
  heading("test");
  const folder = mkdtempSync(join(tmpdir(), "sluice-ci-"));
  const report = join(folder, "tests.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await run("npm", ["test", "--", ...reporters], { timeoutMs: TESTS_TIMEOUT_MS });
  const counts = readTestReport(report, code);
  rmSync(folder, { recursive: true, force: true });
  return counts;
}

/** @param {string} name */
function heading(name) {
  console.log(`\n== ${name}`);
}
