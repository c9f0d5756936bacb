import { expect, it } from "vitest";
import { readCpuMicroseconds } from "../src/server-cpu.ts";

const INFO = "# CPU\r\nused_cpu_sys:0.25\r\nused_cpu_user:1.5\r\nused_cpu_sys_children:9\r\n";

it("adds what the server used itself, not its children", () => {
  expect(readCpuMicroseconds(INFO)).toBe(1_750_000);
});

it("refuses an answer without it", () => {
  expect(() => readCpuMicroseconds("# CPU\r\nused_cpu_sys:0.25\r\n")).toThrow("INFO cpu");
});
