import type { Request } from "./ask.js";
import type { Decision } from "./decision.js";
import type { LeaseTerms } from "./lease-options.js";
import type { ConsumeOptions } from "./limiter.js";
import { outsideCallers } from "./outside-callers.js";
import { Portion, type PortionTerms } from "./portion.js";
import { PortionSize } from "./portion-size.js";
import { unrefTimer } from "./unref-timer.js";
import { MAX_EXACT } from "./whole.js";

/** A call that a portion shall serve. */
export interface LeaseCall<Name extends string> {
  readonly request: Request;
  granted(decision: Decision<Name>): void;
  failed(error: unknown): void;
}

/** What the lease of a key needs of its limiter. */
export interface Lessor<Name extends string> {
  readonly terms: LeaseTerms & PortionTerms;
  /** Asks the store for a portion. */
  charge(options: Required<Pick<ConsumeOptions, "cost" | "atLeast" | "reserve">>): Promise<Decision<Name>>;
  /** Makes a portion have taken no more than was used of it. */
  giveBack(granted: Decision<Name>, used: number): Promise<unknown>;
  /** Nobody has called for a while, and nothing is held. */
  onIdle(): void;
}

/**
 * The units of one key that this process holds, and the callers who wait for more. One portion is held and one asked for
 * at a time, for all who wait by then; first come, first served.
 */
export class KeyLease<Name extends string> {
  readonly #lessor: Lessor<Name>;
  readonly #size: PortionSize;
  #portion: Portion<Name> | undefined;
  #waiting = new Set<LeaseCall<Name>>();
  /** The request for a portion that is under way. */
  #asking: Promise<void> | undefined;
  readonly #returning = new Set<Promise<unknown>>();
  #calledAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What becomes of what is left of a portion that arrives. */
  #onArrival: "hold" | "give back" | "drop" = "hold";
  #isClosed = false;

  constructor(lessor: Lessor<Name>) {
    this.#lessor = lessor;
    this.#size = new PortionSize(lessor.terms);
  }

  /** Grants a call from what is held; undefined where that does not do. */
  take(request: Request): Decision<Name> | undefined {
    const portion = this.#portion;
    if (portion === undefined || this.#waiting.size > 0) return undefined;
    const nowMs = performance.now();
    if (nowMs >= portion.heldUntilMs || !portion.has(request)) return undefined;
    this.#calledAtMs = nowMs;
    const decision = portion.grant(request, nowMs);
    if (portion.left === 0) this.#useUp(portion, nowMs);
    return decision;
  }

  /** What a call would be told that can be granted from what is held; undefined where that does not do. */
  foretell(request: Request): Decision<Name> | undefined {
    const nowMs = performance.now();
    const portion = this.#portion;
    if (portion === undefined || nowMs >= portion.heldUntilMs || !portion.has(request)) return undefined;
    return portion.foretell(request, nowMs);
  }

  /** Has a call wait for the next portion. */
  join(call: LeaseCall<Name>): void {
    this.#calledAtMs = performance.now();
    this.#waiting.add(call);
    this.#asking ??= this.#ask();
  }

  leave(call: LeaseCall<Name>): void {
    this.#waiting.delete(call);
  }

  /** Gives back what is held, and what will be left of what is on its way. */
  giveBack(): void {
    this.#onArrival = "give back";
    this.#endPortion();
  }

  /** The store forgets what the key has used: what was charged before must not be given back after it. */
  drop(): void {
    this.#onArrival = "drop";
    this.#portion = undefined;
  }

  /** Holds nothing any more, once who waits has been served. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.giveBack();
    while (this.#asking !== undefined) await this.#asking;
    clearTimeout(this.#timer);
    await Promise.all(this.#returning);
  }

  /** Asks for one portion. Never rejects. */
  async #ask(): Promise<void> {
    // what is held is too little for the first: together with what the store has it may do
    this.#endPortion();
    this.#onArrival = this.#isClosed ? "give back" : "hold";
    const asked = new Set(this.#waiting);
    const [first] = asked;
    if (first !== undefined) {
      const { least, reserve } = first.request;
      let units = 0;
      for (const { request } of asked) units += request.cost;
      const cost = Math.min(this.#isClosed ? units : this.#size.serving(units), MAX_EXACT);
      const askedAtMs = performance.now();
      try {
        const decision = await this.#lessor.charge({ cost, atLeast: least, reserve });
        if (decision.allowed) this.#serve(asked, decision, askedAtMs);
        else this.#deny(asked, decision);
        this.#size.noteRemaining(decision.remaining);
      } catch (error) {
        for (const call of asked) this.#end(call, () => call.failed(error));
      }
    }
    // not in the async context of whoever was the first
    outsideCallers(() => {
      this.#asking = this.#waiting.size > 0 ? this.#ask() : undefined;
      this.#watch();
    });
  }

  /** Serves those who wait, in order, as far as a portion goes; what is left is held. */
  #serve(asked: ReadonlySet<LeaseCall<Name>>, decision: Decision<Name>, askedAtMs: number): void {
    const portion = new Portion(decision, askedAtMs, this.#lessor.terms);
    const nowMs = performance.now();
    const isHeld = this.#onArrival === "hold" && nowMs < portion.heldUntilMs;
    const [first] = asked;
    for (const call of this.#waiting) {
      // whoever asked for it may have it however long that took, as he might have without a lease
      if (!isHeld && !asked.has(call)) break;
      if (call !== first && !portion.has(call.request)) break;
      // the store decided it for those who asked, and not earlier than it was asked
      const granted = portion.grant(call.request, asked.has(call) ? askedAtMs : nowMs);
      this.#end(call, () => call.granted(granted));
    }
    if (portion.left === 0) this.#useUp(portion, nowMs);
    else if (this.#onArrival !== "drop") this.#portion = portion;
    if (!isHeld) this.#endPortion();
  }

  /** Denies the first, and whoever asked for it with the same need. */
  #deny([first, ...others]: Iterable<LeaseCall<Name>>, decision: Decision<Name>): void {
    if (first === undefined) return;
    const needs = ({ request: { least, reserve } }: LeaseCall<Name>): number => least + reserve;
    for (const call of [first, ...others.filter((other) => needs(other) === needs(first))]) {
      this.#end(call, () => call.granted({ ...decision, cost: call.request.cost }));
    }
  }

  /** Settles a call, unless its caller has left. */
  #end(call: LeaseCall<Name>, settle: () => void): void {
    if (this.#waiting.delete(call)) settle();
  }

  #useUp(portion: Portion<Name>, nowMs: number): void {
    this.#portion = undefined;
    this.#size.usedUp(nowMs - portion.askedAtMs);
  }

  /** What is left of the portion goes back, if it still counts in the store. */
  #endPortion(): void {
    const portion = this.#portion;
    if (portion === undefined) return;
    this.#portion = undefined;
    const { granted, used, lapsesAtMs } = portion;
    this.#size.cameBack(used);
    if (performance.now() >= lapsesAtMs) return;
    // where that fails it is lost until it lapses, as if this process had crashed
    const returned: Promise<unknown> = this.#lessor
      .giveBack(granted, used)
      .catch(() => {})
      .finally(() => this.#returning.delete(returned));
    this.#returning.add(returned);
  }

  /** Sees to it that what is held goes back when its time is over, or when nobody calls any more. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const idleAtMs = this.#calledAtMs + this.#lessor.terms.maxHoldMs / 2;
    const dueAtMs = Math.min(idleAtMs, this.#portion?.heldUntilMs ?? Number.POSITIVE_INFINITY);
    this.#timer = setTimeout(() => this.#look(), Math.max(0, Math.ceil(dueAtMs - performance.now())));
    unrefTimer(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    const isIdle = nowMs >= this.#calledAtMs + this.#lessor.terms.maxHoldMs / 2;
    if (isIdle || nowMs >= (this.#portion?.heldUntilMs ?? nowMs)) this.#endPortion();
    if (isIdle && this.#asking === undefined) this.#lessor.onIdle();
    else this.#watch();
  }
}
