import type { RedisStoreOptions, Store } from "@sluice/core";

/** A store that joins the kit, and what it hands over to be looked into. */
export interface Candidate {
  /** Heads its tests, such as `"ioredis 6, cluster"`. */
  readonly name: string;
  /**
   * Opens the store, as often as it is asked. Under another prefix it must hold nothing yet; a store without prefixes
   * opens a new one each time and leaves the options it does not have.
   */
  open(options: RedisStoreOptions): Store;
  /** The servers that keep its states, used by nobody else; undefined where the states lie in this process. */
  readonly servers: readonly StateServer[] | undefined;
  /** How other processes open the same store, undefined where none can. */
  readonly program: Program | undefined;
}

/** One server that decides: of a cluster each primary, otherwise the one there is. A started Redis server is one. */
export interface StateServer {
  /** Sends one command, to the very database that the store uses, and resolves with the reply. */
  command(...args: string[]): Promise<unknown>;
}

/** A program that calls `joinCrowd` of `@sluice/store-conformance/crowd`, to be run in processes of its own. */
export interface Program {
  readonly path: URL;
  /** What the program is told, such as the URL of a server. */
  readonly args: readonly string[];
}

/** What a check may need of a candidate. */
export type Need = "servers" | "program";

/** Stores that are proven side by side, by names such as `"ioredis 6"`: each is opened under a prefix of its own. */
export type Stores = Readonly<Record<string, (options: RedisStoreOptions) => Store>>;
