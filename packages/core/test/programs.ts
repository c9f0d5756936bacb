/**
 * Run by `runAlone`: does what its argument says, and then has to end by itself. Prints how many milliseconds it
 * was kept alive for nothing.
 */
import { createHook } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { withDeadline } from "../src/deadline.js";
import { leased } from "../src/leased.js";
import { memoryStore } from "../src/memory-store.js";
import { tally } from "./tiny-algorithm.js";

const programs: Record<string, () => Promise<unknown>> = {
  "consume once": () => tally({ name: "api", limit: 5, window: "1m" }).consume("user:42"),

  "consume twice under long windows": async () => {
    let timers = 0;
    createHook({ init: (_id, type) => void (type === "Timeout" && timers++) }).enable();
    for (const window of ["30d", "365d"]) {
      const limiter = tally({ name: "api", limit: 1, window, store: memoryStore() });
      await limiter.consume("user:42");
      await sleep(50);
      if ((await limiter.consume("user:42")).allowed) throw new Error(`two calls passed in ${window}`);
    }
    if (timers > 10) throw new Error(`${timers} timers were set`);
  },

  "hold a lease": () =>
    leased(tally({ name: "api", limit: 5, window: "1h" }), { size: 5, maxHoldMs: 3_600_000 }).consume(
      "user:42",
    ),

  "settle before a deadline": async () => {
    const late = (): Error => new Error("late");
    await withDeadline({ work: async () => {}, timeoutMs: 60_000, late });
    const work = (): Promise<never> => Promise.reject(new Error("broken"));
    await withDeadline({ work, timeoutMs: 60_000, late }).catch(() => {});
  },
};

await programs[process.argv[2] ?? ""]?.();
const doneMs = performance.now();
process.on("exit", () => console.log(Math.round(performance.now() - doneMs)));
