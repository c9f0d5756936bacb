import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readTestReport } from "../../../scripts/test-report.js";

const folder = mkdtempSync(join(tmpdir(), "sluice-report-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function report(counts: { passed: number; failed: number }, testResults: unknown[] = []): string {
  const path = join(folder, "tests.json");
  const numbers = { numPassedTests: counts.passed, numFailedTests: counts.failed };
  writeFileSync(path, JSON.stringify({ ...numbers, numPendingTests: 1, numTodoTests: 1, testResults }));
  return path;
}

describe("readTestReport", () => {
  it("counts tests", () => {
    const path = report({ passed: 3, failed: 2 });
    expect(readTestReport(path, 1)).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  it("counts a file that fails as a whole, and one with failed tests no second time", () => {
    const whole = { status: "failed", assertionResults: [{ status: "skipped" }] };
    const one = { status: "failed", assertionResults: [{ status: "failed" }] };
    const path = report({ passed: 3, failed: 1 }, [whole, one]);
    expect(readTestReport(path, 1).failed).toBe(2);
  });

  it("counts a failure outside of every file", () => {
    expect(readTestReport(report({ passed: 3, failed: 0 }), 1).failed).toBe(1);
  });

  it("counts a run of nothing, and one without a report, as failed", () => {
    expect(readTestReport(report({ passed: 0, failed: 0 }), 0).failed).toBe(1);
    expect(readTestReport(join(folder, "none.json"), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
