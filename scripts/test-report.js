import { existsSync, readFileSync } from "node:fs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * The numbers of a run of vitest, from what its json reporter wrote. What fails outside of a test counts as
 * well: a file that cannot be loaded, an error that nobody handled, a run that ended early or tested nothing.
 *
 * @param {string} path the reporter's file
 * @param {number} exitCode of the run
 * @returns {Counts}
 */
export function readTestReport(path, exitCode) {
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(path, "utf8"));
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles(report.testResults),
    skipped: report.numPendingTests + report.numTodoTests,
  };
  const isEmpty = counts.passed + counts.failed === 0;
  if (counts.failed === 0 && (exitCode !== 0 || isEmpty)) counts.failed = 1;
  return counts;
}

/**
 * Files that failed though no test of theirs did.
 *
 * @param {{ status: string, assertionResults: { status: string }[] }[]} files
 */
function brokenFiles(files) {
  return files.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
}
