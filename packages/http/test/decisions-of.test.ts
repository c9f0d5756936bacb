import { expect, it, vi } from "vitest";
import { decisionOf } from "./decisions.js";

it("is one for a process, however often the package is loaded", async () => {
  const one = await import("../src/decisions-of.js");
  vi.resetModules();
  const other = await import("../src/decisions-of.js");
  expect(other.remember).not.toBe(one.remember);
  const request = new Request("http://a/");
  one.remember(request, decisionOf({}));
  expect(other.decisionsOf(request)).toHaveLength(1);
});
