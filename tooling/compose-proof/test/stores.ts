import { memoryStore, redisStore, type Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import { useRedis } from "./server.ts";

/** A kind of store, for `describe.each`. */
export interface StoreKind {
  readonly kind: string;
  /** A store that holds nothing yet, under a clock of its own. */
  make(): { store: Store; clock: ManualClock };
}

const START_MS = 1_735_689_637_123;

/** Memory and a real server, which ends with the test file. */
export async function useStores(): Promise<StoreKind[]> {
  const { connection } = await useRedis();
  let made = 0;
  const clock = (): ManualClock => manualClock(START_MS);
  return [
    {
      kind: "memory",
      make() {
        const own = clock();
        return { clock: own, store: memoryStore({ clock: own }) };
      },
    },
    {
      kind: "Redis",
      make() {
        const own = clock();
        const prefix = `store-${made++}`;
        return { clock: own, store: redisStore(connection, { clock: own, prefix, timeoutMs: 10_000 }) };
      },
    },
  ];
}
