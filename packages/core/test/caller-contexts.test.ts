import { AsyncLocalStorage } from "node:async_hooks";
import { fileURLToPath } from "node:url";
import { runAlone } from "@sluice/run-alone";
import { describe, expect, it } from "vitest";
import { memoryStore } from "../src/memory-store.js";
import { tally } from "./tiny-algorithm.js";

const PROGRAMS = fileURLToPath(new URL("caller-programs.ts", import.meta.url));

describe("the async context of a caller", () => {
  it.each(["consume", "block"])("is not kept by the store whose first key it makes, by %s", async (call) => {
    const { stdout, stderr } = await runAlone(PROGRAMS, `${call} in a request`);
    expect({ stdout, stderr }).toEqual({ stdout: '{"keys":1,"collected":true}\n', stderr: "" });
  });

  it("is not kept by a lease that was asked for in it", async () => {
    const { stdout, stderr } = await runAlone(PROGRAMS, "lease in a request");
    expect({ stdout, stderr }).toEqual({ stdout: '{"keys":1,"collected":true}\n', stderr: "" });
  });

  it("is not what sweeps run in, whoever made the first call", async () => {
    const storage = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    const clock = (): number => {
      contexts.push(storage.getStore());
      return performance.now();
    };
    const limiter = tally({ name: "api", limit: 5, window: "1h", store: memoryStore({ clock }) });
    await storage.run("ada's request", () => limiter.consume("user:42"));
    // by two passes: one that the first call led to, and one that the pass before led to
    await expect.poll(() => contexts.length, { timeout: 10_000 }).toBe(3);
    expect(contexts).toEqual(["ada's request", undefined, undefined]);
  });
});
