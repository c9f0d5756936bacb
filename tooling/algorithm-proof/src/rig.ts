import { memoryStore, redisStore, type Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import { describe } from "vitest";
import { START_MS } from "./amounts.ts";
import type { ProofServer } from "./proof-server.ts";

/** A store that holds nothing yet, under a clock of its own. */
export interface Rig {
  readonly clock: ManualClock;
  readonly store: Store;
  /** How many keys the store holds. */
  keyCount(): Promise<number>;
}

/** What Redis says of the one key that a rig's store holds. */
export interface RedisRig extends Rig {
  readonly prefix: string;
  keys(): Promise<string[]>;
  /** `PTTL` of the only key: -1 where it has none, -2 where there is no key. */
  ttlMs(): Promise<number>;
  /** `DUMP` of the only key, "" where there is none. */
  dump(): Promise<string>;
  /** Sends a command with the only key and what follows it. */
  onKey(command: string, ...args: string[]): Promise<void>;
}

/** A kind of store to be proven on. */
export interface Ground<R extends Rig = Rig> {
  readonly kind: "memory" | "redis";
  /** How often a property is tried here: a server takes longer. */
  runs(inMemory: number): number;
  open(): R;
}

const TRIES_IN_MEMORY_PER_TRY_ON_REDIS = 6;
let rigs = 0;

/** The ground of a memory store. */
export function memoryGround(): Ground {
  return {
    kind: "memory",
    runs: (inMemory) => inMemory,
    open() {
      const clock = manualClock(START_MS);
      const store = memoryStore({ clock });
      return { clock, store, keyCount: async () => store.size };
    },
  };
}

/** The ground of a server, where states lapse by the server's clock and dates are told by the rig's. */
export function redisGround(server: ProofServer): Ground<RedisRig> {
  return {
    kind: "redis",
    runs: (inMemory) => Math.ceil(inMemory / TRIES_IN_MEMORY_PER_TRY_ON_REDIS),
    open: () => redisRig(server),
  };
}

/** Describes something for both kinds of store. */
export function onBothStores(server: ProofServer, body: (ground: Ground) => void): void {
  describe("in memory", () => body(memoryGround()));
  describe("on Redis", () => body(redisGround(server)));
}

function redisRig(server: ProofServer): RedisRig {
  const connection = server.connection();
  const clock = manualClock(START_MS);
  const prefix = `rig-${rigs++}`;
  const keys = async (): Promise<string[]> => {
    const found = await connection.send("KEYS", [`${prefix}:*`]);
    return Array.isArray(found) ? found.map(String) : [];
  };
  const onlyKey = async (): Promise<string> => (await keys())[0] ?? `${prefix}:none`;
  return {
    clock,
    prefix,
    store: redisStore(connection, { clock, prefix, timeoutMs: 10_000 }),
    keys,
    keyCount: async () => (await keys()).length,
    ttlMs: async () => Number(await connection.send("PTTL", [await onlyKey()])),
    async dump() {
      const dumped = await connection.send("DUMP", [await onlyKey()]);
      return dumped instanceof Uint8Array ? Buffer.from(dumped).toString("hex") : "";
    },
    async onKey(command, ...args) {
      await connection.send(command, [await onlyKey(), ...args]);
    },
  };
}
