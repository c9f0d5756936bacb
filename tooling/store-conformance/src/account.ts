import type { Limiter } from "@sluice/core";

/** How a call ended; a late one was given up. */
export type Ending = { kind: "granted" | "denied" | "late" } | { kind: "failed"; error: unknown };

/** One user of one limiter, and what has come of the calls so far. */
export class Account {
  readonly limiter: Limiter;
  readonly user: string;
  granted = 0;
  /** Calls without an answer, of which nobody knows whether they were counted. */
  uncertain = 0;
  /** Of those that were granted, how many a dying server may have taken with it. */
  #forgettable = 0;
  #grantedBefore = 0;
  #mayForget = false;

  constructor(limiter: Limiter, user: string) {
    this.limiter = limiter;
    this.user = user;
  }

  /** Makes a call, and gives it up when nothing is heard of it for `patienceMs`. */
  async call(patienceMs: number): Promise<Ending> {
    const ending = await endingOf(this.limiter.consume(this.user), patienceMs);
    if (ending.kind === "granted") {
      this.granted += 1;
      if (this.#mayForget) this.#forgettable += 1;
    }
    if (ending.kind === "late" || (ending.kind === "failed" && mayHaveCounted(ending.error))) {
      this.uncertain += 1;
    }
    return ending;
  }

  /** What was granted so far will not be forgotten; what is granted from now on may be. */
  beginForgetting(): void {
    this.#grantedBefore = this.granted;
    this.#mayForget = true;
  }

  endForgetting(): void {
    this.#mayForget = false;
  }

  /**
   * The most that may be granted. What was forgotten can be granted once more. And of what was left when that began,
   * neither the former primary nor its successor can have granted more than all.
   */
  get mostGrants(): number {
    const { limit } = this.limiter.policy;
    return Math.min(limit + this.#forgettable, limit + (limit - this.#grantedBefore));
  }

  /** The least that must have been counted. */
  get leastCounted(): number {
    return this.granted - this.#forgettable;
  }

  /** The most that may have been counted. */
  get mostCounted(): number {
    return this.granted + this.uncertain;
  }
}

/** However late timers are, those of a call that ends by itself fire before this one. */
function endingOf(call: Promise<{ allowed: boolean }>, patienceMs: number): Promise<Ending> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "late" }), patienceMs);
    const end = (ending: Ending): void => {
      clearTimeout(timer);
      resolve(ending);
    };
    call.then(
      ({ allowed }) => end({ kind: allowed ? "granted" : "denied" }),
      (error: unknown) => end({ kind: "failed", error }),
    );
  });
}

/** An error that does not deny it may have. */
function mayHaveCounted(error: unknown): boolean {
  return !(error instanceof Error && "mayHaveCounted" in error && error.mayHaveCounted === false);
}
