import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withDeadline } from "../src/deadline.js";
import { runAlone } from "./run-alone.js";

const late = (): Error => new Error("late");
const never = new Promise<never>(() => {});

describe("work under a deadline", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("settles as it does where it is in time", async () => {
    await expect(withDeadline(Promise.resolve(42), 1_000, late)).resolves.toBe(42);
    await expect(withDeadline(Promise.reject(new Error("broken")), 1_000, late)).rejects.toThrow("broken");
  });

  it("rejects with an error made for it once the time has passed, and no earlier", async () => {
    vi.useFakeTimers();
    const settled = vi.fn();
    withDeadline(never, 1_000, late).catch(settled);
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledExactlyOnceWith(late());
  });

  it("may fail after the deadline, unheard", async () => {
    const work = new Promise((_, reject) => setTimeout(() => reject(new Error("too late")), 30));
    await expect(withDeadline(work, 10, late)).rejects.toThrow("late");
    await expect(work).rejects.toThrow("too late");
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers();
    await withDeadline(Promise.resolve(), 1_000, late);
    await withDeadline(Promise.reject(new Error("broken")), 1_000, late).catch(vi.fn());
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps no process alive once it has settled", async () => {
    const program = fileURLToPath(new URL("programs.ts", import.meta.url));
    const { code, stdout, stderr } = await runAlone(program, "settle before a deadline");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Number(stdout)).toBeLessThan(1_000);
  });
});
