import type { Request } from "./ask.js";
import type { Decision } from "./decision.js";
import { type LeaseCall, LeaseLine } from "./lease-line.js";
import type { LeaseTerms } from "./lease-options.js";
import type { ConsumeOptions } from "./limiter.js";
import { outsideCallers } from "./outside-callers.js";
import { Portion, type PortionTerms } from "./portion.js";
import { PortionSize } from "./portion-size.js";
import { unrefTimer } from "./unref-timer.js";
import { MAX_EXACT } from "./whole.js";

/** For how long at the most the demand of a key is remembered of which nothing is held. */
const KNOWN_FOR_MS = 1_000;

/** What the lease of a key needs of its limiter. */
export interface Lessor<Name extends string> {
  readonly terms: LeaseTerms & PortionTerms;
  /** Asks the store for a portion. */
  charge(options: Required<Pick<ConsumeOptions, "cost" | "atLeast" | "reserve">>): Promise<Decision<Name>>;
  /** Makes a portion have taken no more than was used of it. Never rejects. */
  giveBack(granted: Decision<Name>, used: number): Promise<void>;
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
  readonly #line = new LeaseLine<Name>();
  /** The request for a portion that is under way. */
  #asking: Promise<void> | undefined;
  #calledAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is on its way back. */
  #returned: Promise<void> | undefined;
  /** What becomes of what is left of a portion that arrives. */
  #onArrival: "hold" | "give back" = "hold";
  /** How many resets are under way. */
  #resets = 0;
  #isClosed = false;

  constructor(lessor: Lessor<Name>) {
    this.#lessor = lessor;
    this.#size = new PortionSize(lessor.terms);
  }

  /** Grants a call from what is held; undefined where that does not do. */
  take(request: Request): Decision<Name> | undefined {
    const portion = this.#portion;
    if (portion === undefined || !this.#line.isEmpty) return undefined;
    const nowMs = performance.now();
    if (!portion.serves(request, nowMs)) return undefined;
    this.#calledAtMs = nowMs;
    const decision = portion.grant(request, nowMs);
    if (portion.left === 0) this.#useUp(portion, nowMs);
    return decision;
  }

  /** What a call would be told that can be granted from what is held; undefined where that does not do. */
  foretell(request: Request): Decision<Name> | undefined {
    const nowMs = performance.now();
    const portion = this.#portion;
    return portion?.serves(request, nowMs) ? portion.foretell(request, nowMs) : undefined;
  }

  /** Has a call wait for the next portion. */
  join(call: LeaseCall<Name>): void {
    this.#calledAtMs = performance.now();
    this.#line.join(call);
    this.#asking ??= this.#ask();
  }

  /** Gives back what is held; what it returns is done once that, and what went before, has arrived. Never rejects. */
  giveBack(): Promise<void> | undefined {
    const portion = this.#portion;
    this.#portion = undefined;
    if (portion === undefined) return this.#returned;
    const { granted, used, lapsesAtMs } = portion;
    this.#size.cameBack(used);
    if (performance.now() >= lapsesAtMs) return this.#returned;
    const returned = this.#lessor.giveBack(granted, used).then(() => {
      if (this.#returned === returned) this.#returned = undefined;
    });
    this.#returned = returned;
    return returned;
  }

  /** Once what is on its way, in either direction, has arrived. */
  async atRest(): Promise<void> {
    await this.#asking;
    await this.#returned;
  }

  /** Gives back what is held, and what will be left of what is on its way. */
  giveAllBack(): void {
    this.#onArrival = "give back";
    this.giveBack();
  }

  /**
   * Has the store forget what the key has used, and forgets what is held: what was charged before must not be given back
   * after it.
   */
  async forget(reset: () => Promise<void>): Promise<void> {
    this.#resets++;
    this.#portion = undefined;
    try {
      await this.atRest();
      await reset();
    } finally {
      this.#resets--;
    }
  }

  /** Holds nothing any more, once who waits has been served. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.giveAllBack();
    while (this.#asking !== undefined) await this.#asking;
    clearTimeout(this.#timer);
  }

  /** Asks for one portion. Never rejects. */
  async #ask(): Promise<void> {
    // what is held is too little for the first: together with what the store has it may do. It has to be back by then, or
    // the store might hear of it later than of what is asked, and deny what is on its way
    await this.giveBack();
    this.#onArrival = this.#isClosed ? "give back" : "hold";
    const units = this.#line.ask();
    const { first } = this.#line;
    if (first !== undefined) await this.#askFor(units, first.request);
    // not in the async context of whoever was the first
    outsideCallers(() => {
      this.#asking = this.#line.isEmpty ? undefined : this.#ask();
      this.#watch();
    });
  }

  async #askFor(units: number, { least, reserve }: Request): Promise<void> {
    const cost = Math.min(this.#isClosed ? units : this.#size.serving(units), MAX_EXACT);
    const askedAtMs = performance.now();
    try {
      const decision = await this.#lessor.charge({ cost, atLeast: least, reserve });
      this.#size.noteRemaining(decision.remaining);
      if (decision.allowed) this.#serve(decision, askedAtMs);
      else this.#deny(least + reserve, decision);
    } catch (error) {
      this.#line.end(
        ({ isAsked }) => isAsked,
        (call) => call.failed(error),
      );
    }
  }

  /** Serves those who wait, in order, as far as a portion goes; what is left is held. */
  #serve(decision: Decision<Name>, askedAtMs: number): void {
    const portion = new Portion(decision, askedAtMs, this.#lessor.terms);
    const nowMs = performance.now();
    const isHeld = this.#onArrival === "hold" && this.#resets === 0 && nowMs < portion.heldUntilMs;
    const { first } = this.#line;
    let isOver = false;
    this.#line.end(
      (call) => {
        // whoever asked for it may have it however long that took, as he might have without a lease
        isOver ||= !(isHeld || call.isAsked) || (call !== first && !portion.has(call.request));
        return !isOver;
      },
      (call) => {
        // the store decided it for those who asked, and not earlier than it was asked
        call.granted(portion.grant(call.request, call.isAsked ? askedAtMs : nowMs));
      },
    );
    if (portion.left === 0) this.#useUp(portion, nowMs);
    else if (this.#resets === 0) this.#portion = portion;
    if (!isHeld) this.giveBack();
  }

  /** Denies the first, who needed so much, and whoever asked with the same need. */
  #deny(needed: number, decision: Decision<Name>): void {
    this.#line.end(
      ({ isAsked, request }) => isAsked && request.least + request.reserve === needed,
      (call) => call.granted({ ...decision, cost: call.request.cost }),
    );
  }

  #useUp(portion: Portion<Name>, nowMs: number): void {
    this.#portion = undefined;
    this.#size.usedUp(nowMs - portion.askedAtMs);
  }

  /** Sees to it that what is held goes back when its time is over, or when nobody calls any more. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const dueAtMs = Math.min(this.#idleAtMs(), this.#portion?.heldUntilMs ?? Number.POSITIVE_INFINITY);
    this.#timer = setTimeout(() => this.#look(), Math.max(0, Math.ceil(dueAtMs - performance.now())));
    unrefTimer(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    const isIdle = nowMs >= this.#idleAtMs();
    if (isIdle || nowMs >= (this.#portion?.heldUntilMs ?? nowMs)) this.giveBack();
    if (isIdle && this.#asking === undefined) this.#lessor.onIdle();
    else this.#watch();
  }

  /** When nobody has called for so long that nothing is held any more, or known of the demand. */
  #idleAtMs(): number {
    const idleMs = this.#lessor.terms.maxHoldMs / 2;
    return this.#calledAtMs + (this.#portion === undefined ? Math.min(idleMs, KNOWN_FOR_MS) : idleMs);
  }
}
