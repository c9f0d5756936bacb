import { describe, expect, it, vi } from "vitest";
import { unrefTimer } from "../src/unref-timer.js";

describe("a timer that may not keep the process alive", () => {
  it("is told so, where it can be", () => {
    const timer = { unref: vi.fn() };
    unrefTimer(timer);
    expect(timer.unref).toHaveBeenCalledOnce();
  });

  it.each([7, undefined, null, {}, { unref: true }])("may be what a browser makes of it: %o", (timer) => {
    expect(() => unrefTimer(timer)).not.toThrow();
  });
});
