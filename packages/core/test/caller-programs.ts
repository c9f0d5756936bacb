/** Run by `runAlone`: prints what its argument asks for, as JSON. */
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { leased } from "../src/leased.js";
import { memoryStore } from "../src/memory-store.js";
import { outsideCallers } from "../src/outside-callers.js";
import { tally } from "./tiny-algorithm.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const programs: Record<string, () => Promise<unknown>> = {
  /** Whether the async context of a store's first caller can be collected, though the store holds the key. */
  "consume in a request": async () => {
    const store = memoryStore();
    const limiter = tally({ name: "api", limit: 5, window: "1h", store });
    const collected = await isCollected(await contextOf(() => limiter.consume("user:42")));
    return { keys: store.size, collected };
  },

  "block in a request": async () => {
    const store = memoryStore();
    const limiter = tally({ name: "api", limit: 5, window: "1h", blockFor: "1m", store });
    const collected = await isCollected(await contextOf(() => limiter.block("user:42", "1h")));
    return { keys: store.size, collected };
  },

  /** The same of a lease, which holds units and has a timer set. */
  "lease in a request": async () => {
    const store = memoryStore();
    const limiter = leased(tally({ name: "api", limit: 50, window: "1h", store }), {
      size: 5,
      maxHoldMs: 60_000,
    });
    const context = await contextOf(async () => {
      await limiter.consume("user:42");
      // whoever waits behind is served by another request for units
      await Promise.all([limiter.consume("user:42", { cost: 5 }), limiter.consume("user:42", { cost: 5 })]);
    });
    return { keys: store.size, collected: await isCollected(context) };
  },

  "let go": async () => ({ collected: await isCollected(await contextOf(askForWork)) }),

  throw: async () => {
    const seen: string[] = [];
    process.on("unhandledRejection", (reason) => {
      seen.push(`unhandled: ${reason instanceof Error ? reason.message : "?"}`);
    });
    outsideCallers(() => {
      throw new Error("broken");
    });
    outsideCallers(() => seen.push("other work"));
    await setImmediate();
    outsideCallers(() => seen.push("later work"));
    await setImmediate();
    return seen;
  },
};

/** Calls in the async context of a request, of which only a weak reference is left. */
async function contextOf(call: (context: object) => unknown): Promise<WeakRef<object>> {
  const context = { user: "ada" };
  await new AsyncLocalStorage<object>().run(context, async () => call(context));
  return new WeakRef(context);
}

async function askForWork(context: object): Promise<void> {
  outsideCallers(() => Object.keys(context));
}

async function isCollected(ref: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 20 && ref.deref() !== undefined; round++) {
    await setImmediate();
    collectGarbage();
  }
  return ref.deref() === undefined;
}

console.log(JSON.stringify(await programs[process.argv[2] ?? ""]?.()));
