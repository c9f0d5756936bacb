import { fileURLToPath } from "node:url";
import { runAlone } from "@sluice/run-alone";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Deadline, withDeadline } from "../src/deadline.js";

const late = (): Error => new Error("late");
const never = (): Promise<never> => new Promise(() => {});
const broken = async (): Promise<never> => {
  throw new Error("broken");
};

describe("work under a deadline", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("settles as it does where it is in time", async () => {
    await expect(withDeadline(async () => 42, 1_000, late)).resolves.toBe(42);
    await expect(withDeadline(broken, 1_000, late)).rejects.toThrow("broken");
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
    const work = new Promise((_, reject) => setTimeout(() => reject(new Error("too late")), 300));
    await expect(withDeadline(() => work, 10, late)).rejects.toThrow(late());
    await expect(work).rejects.toThrow("too late");
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers();
    await withDeadline(async () => {}, 1_000, late);
    await withDeadline(broken, 1_000, late).catch(vi.fn());
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may ask whether it is late: not before the time has passed, and ever after", async () => {
    vi.useFakeTimers();
    const asked = vi.fn((deadline: Deadline) => deadline.isPast);
    const settled = withDeadline(
      async (deadline) => {
        for (let passedMs = 0; passedMs < 40; passedMs += 10) {
          asked(deadline);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
      20,
      late,
    ).catch(vi.fn());
    await vi.advanceTimersByTimeAsync(40);
    await settled;
    expect(asked.mock.results.map(({ value }) => value)).toEqual([false, false, true, true]);
  });

  it("is told when it is late, before the caller is", async () => {
    const order: string[] = [];
    const work = (deadline: Deadline): Promise<never> => {
      deadline.onPast = () => order.push("work");
      return never();
    };
    await withDeadline(work, 10, late).catch(() => order.push("caller"));
    expect(order).toEqual(["work", "caller"]);
  });

  it("is not late where it was in time, however long ago that is", async () => {
    vi.useFakeTimers();
    const passed = vi.fn();
    const seen = await withDeadline(
      async (deadline) => {
        deadline.onPast = passed;
        return deadline;
      },
      20,
      late,
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen.isPast).toBe(false);
    expect(passed).not.toHaveBeenCalled();
  });

  it("keeps no process alive once it has settled", async () => {
    const program = fileURLToPath(new URL("programs.ts", import.meta.url));
    const { code, stdout, stderr } = await runAlone(program, "settle before a deadline");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Number(stdout)).toBeLessThan(1_000);
  });
});
