import { setTimeout as sleep } from "node:timers/promises";
import type { Decision, Limiter, Store } from "@sluice/core";
import { type Account, type Accounts, emptyAccount } from "./account.ts";
import { DEMANDS, type Demand, keyOf, type Round, TIMEOUT_MS } from "./demands.ts";
import { limiterOf } from "./limiters.ts";

/** However busy the machine is, a call that takes longer has no timeout. */
const PATIENCE_MS = TIMEOUT_MS + 2_000;
const POLL_EVERY_MS = 20;
const MOST_STRANGE = 5;

/** The callers of one process: each calls, waits for the answer, pauses, and calls again. */
export class Load {
  readonly accounts: Accounts = {};
  readonly #callers: readonly Promise<void>[];
  readonly #answered = new Set<number>();
  #isOver = false;

  /** Begins at once. */
  constructor(store: Store, round: Round) {
    const callers: Promise<void>[] = [];
    for (const demand of DEMANDS) {
      const account = emptyAccount();
      this.accounts[demand.title] = account;
      const limiter = limiterOf(demand.title, store, round);
      const key = keyOf(demand.title, round);
      for (let caller = 0; caller < demand.callers; caller += 1) {
        callers.push(this.#keepCalling(callers.length, { demand, limiter, key, account }));
      }
    }
    this.#callers = callers;
  }

  /** Whether from now on each caller gets a decision within `withinMs`. */
  async answersEverybody(withinMs: number): Promise<boolean> {
    this.#answered.clear();
    const giveUpAtMs = performance.now() + withinMs;
    while (this.#answered.size < this.#callers.length) {
      if (performance.now() > giveUpAtMs) return false;
      await sleep(POLL_EVERY_MS);
    }
    return true;
  }

  /** Resolves once the last call has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #keepCalling(caller: number, { demand, limiter, key, account }: Calling): Promise<void> {
    while (!this.#isOver) {
      account.calls += 1;
      const decision = await outcomeOf(account, demand.cost, limiter.consume(key, { cost: demand.cost }));
      if (decision !== undefined) this.#answered.add(caller);
      await sleep(demand.pauseMs);
    }
  }
}

interface Calling {
  readonly demand: Demand;
  readonly limiter: Limiter;
  readonly key: string;
  readonly account: Account;
}

/** Enters what becomes of a call, and gives it up when nothing is heard of it for too long. */
async function outcomeOf(
  account: Account,
  cost: number,
  call: Promise<Decision>,
): Promise<Decision | undefined> {
  const late = new AbortController();
  try {
    const decision = await Promise.race([call, sleep(PATIENCE_MS, undefined, { signal: late.signal })]);
    if (decision === undefined) return undefined;
    account.settled += 1;
    if (!decision.allowed) account.denied += 1;
    else if (decision.source === "store") account.granted += decision.taken;
    else note(account, `allowed by ${decision.source}`);
    return decision;
  } catch (error) {
    account.settled += 1;
    account.failed += 1;
    if (!isStoreError(error)) note(account, String(error));
    else enter(account, cost, error);
    return undefined;
  } finally {
    late.abort();
  }
}

function note(account: Account, strange: string): void {
  if (account.strange.length < MOST_STRANGE) account.strange.push(strange);
}

interface Failure extends Error {
  readonly code: unknown;
  readonly mayHaveCounted: boolean;
}

function enter(account: Account, cost: number, { code, mayHaveCounted }: Failure): void {
  if (code === "ERR_SLUICE_STORE_TIMEOUT") account.timedOut += 1;
  if (mayHaveCounted) account.uncertain += cost;
}

function isStoreError(error: unknown): error is Failure {
  return (
    error instanceof Error &&
    "code" in error &&
    /^ERR_SLUICE_STORE(_TIMEOUT)?$/.test(String(error.code)) &&
    "mayHaveCounted" in error &&
    typeof error.mayHaveCounted === "boolean"
  );
}
