import { describe, expect, it, vi } from "vitest";
import { perProcess } from "../src/per-process.js";

describe("what is one per process", () => {
  it("is made once, on first use", () => {
    const make = vi.fn(() => ({}));
    const first = perProcess("test-thing", 1, make);
    expect(perProcess("test-thing", 1, make)).toBe(first);
    expect(make).toHaveBeenCalledOnce();
  });

  it("is shared by every copy of the package that is loaded", async () => {
    const own = perProcess("test-shared", 1, () => ({}));
    vi.resetModules();
    const copy = await import("../src/per-process.js");
    expect(copy.perProcess).not.toBe(perProcess);
    expect(copy.perProcess("test-shared", 1, () => ({}))).toBe(own);
  });

  it("is not shared by copies that have another idea of the thing", () => {
    expect(perProcess("test-versions", 2, () => ({}))).not.toBe(perProcess("test-versions", 1, () => ({})));
  });

  it("lives on globalThis under a registered symbol", () => {
    const thing = perProcess("test-symbol", 1, () => ({}));
    expect(Reflect.get(globalThis, Symbol.for("@sluice/core/test-symbol.1"))).toBe(thing);
  });
});
