import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@sluice/core";
import { Account } from "./account.ts";
import { ALGORITHMS } from "./algorithms.ts";
import { LONG_MS } from "./usage.ts";

/** One that is used up at once, one that runs out some seconds later, and one that never does. */
const LIMITS = [3, 60, 1_000_000];
const PAUSE_MS = 50;
/** More than twice the timeout of a store under load: a call that takes longer has none. */
const PATIENCE_MS = 2_500;

/** The timeout of every store under load. */
export const LOAD_TIMEOUT_MS = 1_000;

/** For each user and limit a caller, who calls, waits for the answer, pauses, and calls again. */
export class Load {
  readonly accounts: readonly Account[];
  readonly errors: unknown[] = [];
  /** How many calls were given up. */
  late = 0;
  /** Whether everybody was served once the upheaval was over. */
  servesAgain = false;
  readonly #answered = new Set<Account>();
  readonly #callers: readonly Promise<void>[];
  #isOver = false;

  /** Begins at once. */
  constructor(store: Store, users: readonly string[]) {
    this.accounts = users.flatMap((user, index) =>
      LIMITS.map((limit, kind) => {
        // so that every algorithm meets every limit
        const algorithm = ALGORITHMS[(index + kind) % ALGORITHMS.length];
        if (algorithm === undefined) throw new Error("there is no algorithm");
        return new Account(algorithm.make({ name: `load-${limit}`, store, limit, windowMs: LONG_MS }), user);
      }),
    );
    this.#callers = this.accounts.map((account) => this.#keepCalling(account));
  }

  /** Whether from now on each caller has had an answer within `timeoutMs`. */
  async answersEverybody(timeoutMs: number): Promise<boolean> {
    this.#answered.clear();
    const giveUpAtMs = performance.now() + timeoutMs;
    while (this.#answered.size < this.accounts.length) {
      if (performance.now() > giveUpAtMs) return false;
      await sleep(PAUSE_MS);
    }
    return true;
  }

  /** Resolves once the last call has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #keepCalling(account: Account): Promise<void> {
    while (!this.#isOver) {
      const ending = await account.call(PATIENCE_MS);
      if (ending.kind === "late") this.late += 1;
      else if (ending.kind === "failed") this.errors.push(ending.error);
      else this.#answered.add(account);
      await sleep(PAUSE_MS);
    }
  }
}
