import { START_MS } from "@sluice/algorithm-proof";
import { memoryStore, redisStore, type Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import type { RespClient } from "@sluice/redis-server";
import { useServer } from "./server.ts";

/** An empty store as two processes see it, and the clock that it goes by. */
export interface Place {
  readonly clock: ManualClock;
  readonly store: Store;
  /** The same keys by other means, where there are any. */
  readonly elsewhere: Store;
}

/** A place on a server. */
export interface RedisPlace extends Place {
  readonly prefix: string;
}

/** A kind of store, for `describe.each`. */
export interface StoreKind {
  readonly kind: string;
  open(clock?: ManualClock): Place;
}

let opened = 0;

/** Memory and a server of this test file. */
export async function useStores(): Promise<readonly [memory: StoreKind, redis: StoreKind]> {
  const { connection, otherConnection } = await useServer();
  return [
    { kind: "memory", open: openMemory },
    { kind: "Redis", open: (clock) => openRedis(connection, otherConnection, clock) },
  ];
}

export function openMemory(clock: ManualClock = manualClock(START_MS)): Place {
  const store = memoryStore({ clock });
  return { clock, store, elsewhere: store };
}

export function openRedis(
  connection: RespClient,
  otherConnection: RespClient,
  clock: ManualClock = manualClock(START_MS),
): RedisPlace {
  const prefix = `options-${opened++}`;
  const options = { clock, prefix, timeoutMs: 10_000 };
  return {
    clock,
    prefix,
    store: redisStore(connection, options),
    elsewhere: redisStore(otherConnection, options),
  };
}
