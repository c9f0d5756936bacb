import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runAlone } from "@sluice/run-alone";
import { describe, expect, it } from "vitest";
import { outsideCallers } from "../src/outside-callers.js";

const PROGRAMS = fileURLToPath(new URL("caller-programs.ts", import.meta.url));

describe("work outside callers", () => {
  const storage = new AsyncLocalStorage<string>();

  it("runs soon, not at once", async () => {
    const seen: string[] = [];
    outsideCallers(() => seen.push("work"));
    seen.push("asked");
    await Promise.resolve();
    expect(seen).toEqual(["asked", "work"]);
  });

  it("sees no caller's async context, nor does what follows from it", async () => {
    const contexts: (string | undefined)[] = [];
    const look = (): unknown => contexts.push(storage.getStore());
    for (const caller of ["ada", "bob"]) {
      await storage.run(caller, async () => {
        outsideCallers(() => {
          look();
          setTimeout(look);
          void Promise.resolve().then(look);
        });
        await sleep(20);
        expect(storage.getStore()).toBe(caller);
      });
    }
    expect(contexts).toEqual(Array(6).fill(undefined));
  });

  it("runs in the order in which it was asked for, also by work", async () => {
    const seen: number[] = [];
    outsideCallers(() => {
      seen.push(1);
      outsideCallers(() => seen.push(3));
    });
    outsideCallers(() => seen.push(2));
    await sleep(0);
    outsideCallers(() => seen.push(4));
    await sleep(0);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("is an unhandled rejection where it throws, and other work runs all the same", async () => {
    const { stdout } = await runAlone(PROGRAMS, "throw");
    expect(JSON.parse(stdout)).toEqual(["other work", "unhandled: broken", "later work"]);
  });

  it("is let go of once it has run", async () => {
    const { stdout } = await runAlone(PROGRAMS, "let go");
    expect(JSON.parse(stdout)).toEqual({ collected: true });
  });
});
