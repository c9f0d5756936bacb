/**
 * Run by `runAlone`: does what its argument says, and then has to end by itself. Prints how many milliseconds it
 * was kept alive for nothing.
 */
import { withDeadline } from "../src/deadline.js";
import { memoryStore } from "../src/memory-store.js";
import { tally } from "./tiny-algorithm.js";

const programs: Record<string, () => Promise<unknown>> = {
  "consume once": () => tally({ name: "api", limit: 5, window: "1m" }).consume("user:42"),

  "consume under windows of a year": async () => {
    const store = memoryStore();
    const limiter = tally({ name: "api", limit: 1, window: "365d", store });
    await limiter.consume("user:42");
    await limiter.consume("user:42");
  },

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
