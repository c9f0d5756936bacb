import { START_MS } from "@sluice/algorithm-proof";
import type { Clock, Limiter, Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import type { AlgorithmCase } from "./algorithms.ts";
import type { Candidate, StateServer } from "./candidate.ts";

/** A key in a server, as the store named it. */
export interface StoredKey {
  readonly server: StateServer;
  readonly key: string;
}

/** What a limiter is told beyond its limit and its window. */
export interface LimiterChoices {
  /** Default `"proof"`. */
  readonly name?: string;
  readonly store?: Store;
}

/** So long that no call has to wait for the machine; the store's own timeout is not what is proven here. */
const TIMEOUT_MS = 15_000;
const RUN = Math.random().toString(36).slice(2);
let benches = 0;

/** Where one check of one algorithm is made, on a store that holds nothing yet. */
export class Bench {
  readonly algorithm: AlgorithmCase;
  readonly candidate: Candidate;
  /** Stands in every key of this bench and in no other's. */
  readonly prefix: string = `bench-${RUN}-${benches++}`;
  /** Moves only when it is told to. */
  readonly clock: ManualClock = manualClock(START_MS);
  readonly #store: Store;
  readonly #realTimeStore: Store;

  constructor(candidate: Candidate, algorithm: AlgorithmCase) {
    this.candidate = candidate;
    this.algorithm = algorithm;
    this.#store = this.open(this.prefix, this.clock);
    this.#realTimeStore = this.open(`${this.prefix}-real`);
  }

  /** Opens the store under a prefix of the caller's choice. */
  open(prefix: string, clock?: Clock): Store {
    return this.candidate.open({ prefix, clock, timeoutMs: TIMEOUT_MS });
  }

  /** A limiter that goes by the bench's clock. */
  limiter(limit: number, windowMs: number, choices: LimiterChoices = {}): Limiter {
    return this.algorithm.make({ name: "proof", store: this.#store, limit, windowMs, ...choices });
  }

  /** A limiter that goes by the store's own clock. */
  realTimeLimiter(limit: number, windowMs: number): Limiter {
    return this.limiter(limit, windowMs, { store: this.#realTimeStore });
  }

  /** Every key that the servers hold for this bench. */
  async storedKeys(): Promise<StoredKey[]> {
    const found = this.servers().map(async (server) => {
      const keys = await server.command("KEYS", `*${this.prefix}*`);
      return Array.isArray(keys) ? keys.map((key) => ({ server, key: String(key) })) : [];
    });
    return (await Promise.all(found)).flat();
  }

  /** The one key that the servers hold for this bench. */
  async onlyKey(): Promise<StoredKey> {
    const [only, ...others] = await this.storedKeys();
    if (only !== undefined && others.length === 0) return only;
    throw new Error(`one key was expected, found ${only === undefined ? "none" : others.length + 1}`);
  }

  /** Makes every server forget its scripts. */
  async flushScripts(): Promise<void> {
    await Promise.all(this.servers().map((server) => server.command("SCRIPT", "FLUSH")));
  }

  /** For checks that need servers. */
  servers(): readonly StateServer[] {
    const { servers } = this.candidate;
    if (servers === undefined) throw new Error(`${this.candidate.name} handed over no servers`);
    return servers;
  }
}
