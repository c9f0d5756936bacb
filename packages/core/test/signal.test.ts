import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { unlessAborted } from "../src/signal.js";
import { gate } from "./faulty-connection.js";

const never = new Promise<never>(() => {});
const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("work under a signal", () => {
  it("settles as it does where nobody aborts", async () => {
    const { signal } = new AbortController();
    const abandoned = vi.fn();
    await expect(unlessAborted(signal, Promise.resolve(42), abandoned)).resolves.toBe(42);
    await expect(unlessAborted(signal, Promise.reject(new Error("broken")), abandoned)).rejects.toThrow(
      "broken",
    );
    expect(abandoned).not.toHaveBeenCalled();
  });

  it("is passed through where there is no signal", () => {
    const work = Promise.resolve(42);
    expect(unlessAborted(undefined, work, vi.fn())).toBe(work);
  });

  it.each([new Error("the user left"), "a text", undefined, 0])(
    "rejects with the signal's own reason, without waiting for the work: %o",
    async (reason) => {
      const controller = new AbortController();
      const aborted = unlessAborted(controller.signal, never, vi.fn());
      controller.abort(reason);
      await expect(aborted).rejects.toBe(controller.signal.reason);
    },
  );

  it("hands over what it brings after the abort", async () => {
    const controller = new AbortController();
    const { opened, open } = gate();
    const abandoned = vi.fn();
    const aborted = unlessAborted(
      controller.signal,
      opened.then(() => 42),
      abandoned,
    );
    controller.abort("left");
    await expect(aborted).rejects.toBe("left");
    expect(abandoned).not.toHaveBeenCalled();
    open();
    await vi.waitFor(() => expect(abandoned).toHaveBeenCalledExactlyOnceWith(42));
  });

  it("may fail after the abort, unheard", async () => {
    const controller = new AbortController();
    const abandoned = vi.fn();
    const aborted = unlessAborted(controller.signal, Promise.reject(new Error("too late")), abandoned);
    controller.abort("left");
    await expect(aborted).rejects.toBe("left");
    expect(abandoned).not.toHaveBeenCalled();
  });

  it("hands over nothing that the caller has got", async () => {
    const controller = new AbortController();
    const abandoned = vi.fn();
    await unlessAborted(controller.signal, Promise.resolve(42), abandoned);
    controller.abort();
    await new Promise(setImmediate);
    expect(abandoned).not.toHaveBeenCalled();
  });

  it("leaves no listener behind", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await unlessAborted(signal, Promise.resolve(42), vi.fn());
    await unlessAborted(signal, Promise.reject(new Error("broken")), vi.fn()).catch(vi.fn());
    await new Promise(setImmediate);
    expect(listeners(signal)).toBe(0);

    const aborted = unlessAborted(signal, never, vi.fn());
    expect(listeners(signal)).toBe(1);
    controller.abort("left");
    await expect(aborted).rejects.toBe("left");
    expect(listeners(signal)).toBe(0);
  });
});
