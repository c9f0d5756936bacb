import { memoryStore, type RedisConnection, redisStore, type Store } from "@sluice/core";
import type { RedisServer, RespClient } from "@sluice/redis-server";
import type { Candidate } from "../src/index.ts";
import { passThrough } from "../src/pass-through.ts";

/** A store that has a fault, and which checks must refuse it, by what their titles say. */
export interface FaultyStore {
  /** What it does wrong: "a store that …". */
  readonly fault: string;
  readonly candidate: Candidate;
  readonly refusedBy: readonly string[];
  /** It is one that a way to connect may have. */
  readonly ofConnection?: true;
}

/** What a store does otherwise than a sound one. */
export type Fault = (sound: Store) => Partial<Store>;
type Send = RedisConnection["send"];

/** The memory store, with a fault or without. */
export function inMemory(fault: Fault = () => ({})): Candidate {
  return {
    name: "in memory",
    open: ({ clock }) => faulty(memoryStore({ clock }), fault),
    servers: undefined,
    program: undefined,
  };
}

/** The memory store by another clock than it is given. */
export function byClock(fault: (clock: () => number) => () => number): Candidate {
  return { ...inMemory(), open: ({ clock = Date.now }) => memoryStore({ clock: fault(clock) }) };
}

/** Stores on a server, all over one connection. */
export class Workshop {
  readonly connection: RespClient;
  /** One without a fault. */
  readonly sound: Candidate;

  constructor(redis: RedisServer, connection: RespClient) {
    this.connection = connection;
    this.sound = {
      name: "on Redis",
      open: (options) => redisStore(connection, options),
      servers: [redis],
      program: undefined,
    };
  }

  /** One with a fault of the store. */
  storing(fault: Fault): Candidate {
    return { ...this.sound, open: (options) => faulty(this.sound.open(options), fault) };
  }

  /** One with a fault of the connection, which is told how a sound one would send. */
  sending(fault: (sound: Send) => Send): Candidate {
    const send: Send = (command, args) => this.connection.send(command, args);
    return { ...this.sound, open: (options) => redisStore({ send: fault(send) }, options) };
  }

  /** One that sends a command of its own after each, about the same key. */
  meddling(command: string, ...args: string[]): Candidate {
    return this.sending((send) => async (sent, words, key) => {
      const reply = await send(sent, words, key);
      await this.connection.send(command, [key, ...args]);
      return reply;
    });
  }
}

function faulty(store: Store, fault: Fault): Store {
  const sound = passThrough(store);
  return { ...sound, ...fault(sound) };
}
