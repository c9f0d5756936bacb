// Every check: goes on after a failure, and ends with the sum.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.js";
import { runWithin } from "./run.js";
import { readTestReport } from "./test-report.js";

const TESTS_TIMEOUT_MS = 1_200_000;
const CHECK_TIMEOUT_MS = 180_000;
/** Scripts of package.json; each counts as one. Those of a group run at once. */
const CHECKS = [
  ["lint", "build"],
  ["types", "packaging"],
];

const total = await runTests();
for (const group of CHECKS) {
  heading(group.join(" and "));
  await Promise.all(group.map(runCheck));
}

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** @param {string} check */
async function runCheck(check) {
  const code = await runWithin("npm", ["run", check], CHECK_TIMEOUT_MS);
  total[code === 0 ? "passed" : "failed"] += 1;
  if (code !== 0) console.log(`${check} failed`);
}

async function runTests() {
  heading("test");
  const report = join(ROOT, "node_modules", ".test-report.json");
  // That of an earlier run must not be taken for this one's.
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await runWithin("npm", ["test", "--", ...reporters], TESTS_TIMEOUT_MS);
  return readTestReport(report, code);
}

/** @param {string} name */
function heading(name) {
  console.log(`\n== ${name}`);
}
