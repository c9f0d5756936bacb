import { memoryStore } from "../src/memory-store.js";
import { redisStore } from "../src/redis-store.js";
import type { Store } from "../src/store.js";
import { type ManualClock, manualClock } from "../src/testing.js";
import { useRedis } from "./redis.js";

/** The stores that a limiter must answer alike on, each new and with a clock of its own. */
export interface StoreKind {
  readonly kind: string;
  make(): { store: Store; clock: ManualClock };
}

/** Memory and a real server, for `describe.each`; the server ends with the test file. */
export async function useStores(): Promise<StoreKind[]> {
  const { connection } = await useRedis();
  return [
    {
      kind: "memory",
      make() {
        const clock = manualClock(1_000_000);
        return { clock, store: memoryStore({ clock }) };
      },
    },
    {
      kind: "Redis",
      make() {
        const clock = manualClock(1_000_000);
        return { clock, store: redisStore(connection, { clock }) };
      },
    },
  ];
}
