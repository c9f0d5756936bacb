import { fileURLToPath } from "node:url";
import { runAlone } from "@sluice/run-alone";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Deadline, withDeadline } from "../src/deadline.js";

const late = (): Error => new Error("late");
const within = <T>(timeoutMs: number, work: (deadline: Deadline) => Promise<T>): Promise<T> =>
  withDeadline({ work, timeoutMs, late });
const never = (): Promise<never> => new Promise(() => {});
const broken = async (): Promise<never> => {
  throw new Error("broken");
};

describe("work under a deadline", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("settles as it does where it is in time", async () => {
    await expect(within(1_000, async () => 42)).resolves.toBe(42);
    await expect(within(1_000, broken)).rejects.toThrow("broken");
  });

  it("rejects with an error made for it once the time has passed, and no earlier", async () => {
    vi.useFakeTimers();
    const settled = vi.fn();
    within(1_000, never).catch(settled);
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toHaveBeenCalledExactlyOnceWith(late());
  });

  it("may fail after the deadline, unheard", async () => {
    const work = new Promise((_, reject) => setTimeout(() => reject(new Error("too late")), 300));
    await expect(within(10, () => work)).rejects.toThrow(late());
    await expect(work).rejects.toThrow("too late");
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers();
    await within(1_000, async () => {});
    await within(1_000, broken).catch(vi.fn());
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may ask whether it is late: not before the time has passed, and ever after", async () => {
    vi.useFakeTimers();
    const asked = vi.fn((deadline: Deadline) => deadline.isPast);
    const settled = within(20, async (deadline) => {
      for (let passedMs = 0; passedMs < 40; passedMs += 10) {
        asked(deadline);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }).catch(vi.fn());
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
    await within(10, work).catch(() => order.push("caller"));
    expect(order).toEqual(["work", "caller"]);
  });

  it("is not late where it was in time, however long ago that is", async () => {
    vi.useFakeTimers();
    const passed = vi.fn();
    const seen = await within(20, async (deadline) => {
      deadline.onPast = passed;
      return deadline;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen.isPast).toBe(false);
    expect(passed).not.toHaveBeenCalled();
  });

  it("hands over what it brings too late, and that alone", async () => {
    const abandoned = vi.fn();
    const slow = new Promise<number>((resolve) => setTimeout(resolve, 50, 42));
    await expect(withDeadline({ work: () => slow, timeoutMs: 10, late, abandoned })).rejects.toThrow(late());
    await slow;
    expect(abandoned).toHaveBeenCalledExactlyOnceWith(42);
    expect(await withDeadline({ work: async () => 1, timeoutMs: 10, late, abandoned })).toBe(1);
    expect(abandoned).toHaveBeenCalledOnce();
  });

  it("is in time where it was done by then, though the process was too busy to look", async () => {
    const done = new Promise<string>((resolve) => setImmediate(resolve, "done"));
    const settled = within(10, () => done);
    const busyUntilMs = performance.now() + 50;
    while (performance.now() < busyUntilMs);
    expect(await settled).toBe("done");
  });

  it("comes first where it has a deadline of its own, as long", async () => {
    const inner = () => withDeadline({ work: never, timeoutMs: 20, late: () => new Error("inner") });
    await expect(within(20, inner)).rejects.toThrow("inner");
  });

  it("says when it is late whether the work had begun", async () => {
    const told = (hasBegun: boolean): Promise<unknown> =>
      withDeadline({
        work: (deadline) => {
          deadline.hasBegun = hasBegun;
          return never();
        },
        timeoutMs: 10,
        late: (deadline) => new Error(String(deadline.hasBegun)),
      });
    await expect(told(true)).rejects.toThrow("true");
    await expect(told(false)).rejects.toThrow("false");
  });

  it("keeps no process alive once it has settled", async () => {
    const program = fileURLToPath(new URL("programs.ts", import.meta.url));
    const { code, stdout, stderr } = await runAlone(program, "settle before a deadline");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Number(stdout)).toBeLessThan(1_000);
  });
});
