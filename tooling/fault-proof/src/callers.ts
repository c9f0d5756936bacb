import { setTimeout as sleep } from "node:timers/promises";
import type { RedisStoreOptions, Store } from "@sluice/core";
import { DEMANDS, keyOf, type Round, TIMEOUT_MS } from "./demands.ts";
import { limiterOf } from "./limiters.ts";
import { Load } from "./load.ts";
import type { Memory, Order, Used } from "./orders.ts";

/** A store in a process of its own. */
export interface OpenedStore {
  readonly store: Store;
  /** Lets go of what would keep the process alive. */
  close(): void;
}

const ASK_AGAIN_MS = 50;

/**
 * All that a program of callers calls: does what the process that started it orders, and ends when that lets go of it.
 *
 * @param open connects to the port; is told the arguments that its user gave the program
 */
export async function obeyOrders(
  open: (port: number, options: RedisStoreOptions, ...args: string[]) => OpenedStore | Promise<OpenedStore>,
): Promise<void> {
  const [port = "", ...args] = process.argv.slice(2);
  const { store, close } = await open(Number(port), { timeoutMs: TIMEOUT_MS }, ...args);
  const callers = new Callers(store);
  process.on("message", async (order: Order) => {
    const answer = await callers.obey(order);
    process.send?.(answer);
  });
  process.once("disconnect", async () => {
    // a load may be under way where whoever ordered it is gone
    await callers.obey({ do: "stop" });
    close();
  });
  process.send?.("ready");
}

/** Those of this process. */
class Callers {
  readonly #store: Store;
  #load: Load | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async obey(order: Order): Promise<unknown> {
    switch (order.do) {
      case "begin":
        this.#load = new Load(this.#store, order.round);
        return "begun";
      case "tell when answered":
        return this.#load?.answersEverybody(order.withinMs);
      case "stop":
        await this.#load?.stop();
        return this.#load?.accounts ?? {};
      case "look":
        return this.#used(order.round);
      case "weigh":
        this.#load = undefined;
        return weigh();
    }
  }

  async #used(round: Round): Promise<Used> {
    const used: Used = {};
    for (const { title } of DEMANDS) {
      const limiter = limiterOf(title, this.#store, round);
      const { limit, remaining } = await untilAnswered(() => limiter.peek(keyOf(title, round)));
      used[title] = limit - remaining;
    }
    return used;
  }
}

/** A look at a server that has just come back may come too early. */
async function untilAnswered<T>(ask: () => Promise<T>, tries = 100): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (tries === 1) throw error;
    await sleep(ASK_AGAIN_MS);
    return untilAnswered(ask, tries - 1);
  }
}

function weigh(): Memory {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, rssBytes: rss, resources: process.getActiveResourcesInfo().length };
}
