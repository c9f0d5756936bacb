import { alarmAt } from "./alarm.js";
import type { Decision } from "./decision.js";

/** A grant, and when the work that it is for may begin, by `performance.now()`: later than now in a queue. */
interface Slot {
  readonly decision: Decision;
  readonly atMs: number;
}

/** Somebody who waits for a grant. */
export interface Waiter {
  /** What is asked for, as a text: whoever asks for the same can have the grant of another. */
  readonly asks: string;
  /** By `performance.now()`: a wait that would last beyond it fails at once. */
  readonly deadlineMs: number;
  /** At most so many may wait, this one among them. */
  readonly maxWaiters: number;
  /** Asks the store, which charges what it grants. */
  attempt(): Promise<Decision>;
  /** How long the same call would be denied after another one was granted, as far as can be told. */
  foresee(granted: Decision): number;
  giveBack(decision: Decision): Promise<void>;
  granted(decision: Decision): void;
  /** Is told how long it would have to wait, which is too long: `Infinity` where it never can be granted. */
  tooLong(waitMs: number): void;
  full(): void;
  failed(error: unknown): void;
}

/** The most that is added to a wait after another process was faster, as a part of it. */
const JITTER = 0.1;

/**
 * Those who wait for one key in this process. The first of them alone asks the store, sleeps as long as it was told to, and
 * asks again; the others wait for their turn. In a queue a grant is a slot in the future: who has one sleeps until then,
 * and the next one asks. When somebody leaves, whoever is behind and asks for the same moves up.
 */
export class WaitingLine {
  /** Without a grant, in order of arrival. */
  readonly #waiting = new Set<Waiter>();
  /** With a slot, in order of the slots. */
  readonly #sleeping = new Map<Waiter, { slot: Slot; cancel: () => void }>();
  readonly #onEmpty: () => void;
  #isAsking = false;
  /** Whether something was given back while the store was being asked: its answer may come from before. */
  #isOutdated = false;
  /** Until when it is known to be in vain to ask for what `#deniedAsks` says, by `performance.now()`. */
  #deniedUntilMs = 0;
  #deniedAsks = "";
  /** Whether the first has waited for as long as it was told to. */
  #wasPromised = false;
  #cancelAlarm: (() => void) | undefined;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  join(waiter: Waiter): void {
    const isBlocked = this.#cancelAlarm !== undefined;
    const waitMs = isBlocked ? this.#deniedUntilMs - performance.now() : 0;
    const size = this.#waiting.size + this.#sleeping.size;
    const isFull = (isBlocked || this.#sleeping.size > 0) && size >= waiter.maxWaiters;
    if (isBlocked && this.#deniedUntilMs > waiter.deadlineMs) {
      waiter.tooLong(waitMs);
    } else if (isFull) {
      waiter.full();
    } else {
      this.#waiting.add(waiter);
      if (this.#waiting.size === 1) this.#serve();
    }
  }

  /** Its caller has left: what it may have been granted goes to another one, or back. */
  leave(waiter: Waiter): void {
    const sleeper = this.#sleeping.get(waiter);
    if (sleeper !== undefined) {
      const behind = [...this.#sleeping.keys()];
      sleeper.cancel();
      this.#sleeping.delete(waiter);
      void this.#handOver(sleeper.slot, waiter, behind.slice(behind.indexOf(waiter) + 1));
      return;
    }
    const wasFirst = this.#first === waiter;
    this.#waiting.delete(waiter);
    if (!wasFirst || this.#isAsking) return;
    this.#wasPromised = false;
    this.#serve();
  }

  /** Whether the store is being asked for somebody at this moment. */
  isDeciding(waiter: Waiter): boolean {
    return this.#isAsking && this.#first === waiter;
  }

  /** Something was given back, by this process: it may be in vain no longer. */
  lookAgain(): void {
    this.#isOutdated = this.#isAsking;
    this.#deniedUntilMs = 0;
    this.#wasPromised = false;
    this.#serve();
  }

  get #first(): Waiter | undefined {
    const [first] = this.#waiting;
    return first;
  }

  /** Has the first ask as soon as that is not known to be in vain. */
  #serve(): void {
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    while (!this.#isAsking) {
      const first = this.#first;
      if (first === undefined) {
        this.#endIfEmpty();
        return;
      }
      if (this.#sleeping.size >= first.maxWaiters) {
        this.#waiting.delete(first);
        first.full();
      } else if (first.asks !== this.#deniedAsks || this.#deniedUntilMs <= performance.now()) {
        void this.#ask(first);
      } else if (this.#deniedUntilMs > first.deadlineMs) {
        this.#waiting.delete(first);
        first.tooLong(this.#deniedUntilMs - performance.now());
      } else {
        this.#block();
        return;
      }
    }
  }

  async #ask(first: Waiter): Promise<void> {
    this.#isAsking = true;
    this.#isOutdated = false;
    try {
      const decision = await first.attempt();
      const slot = { decision, atMs: performance.now() + decision.delayMs };
      if (!decision.allowed) this.#noteDenial(first, decision);
      else if (this.#waiting.has(first)) this.#grant(first, slot);
      // its caller has left meanwhile
      else await this.#handOver(slot, first, []);
    } catch (error) {
      if (this.#waiting.delete(first)) first.failed(error);
    }
    this.#isAsking = false;
    this.#serve();
  }

  #noteDenial(first: Waiter, { reason, retryAfterMs }: Decision): void {
    if (reason === "never") {
      if (this.#waiting.delete(first)) first.tooLong(retryAfterMs);
      return;
    }
    if (this.#isOutdated) return;
    // whoever waits elsewhere was told the same: they should not all come back at once
    const factor = this.#wasPromised ? 1 + JITTER * Math.random() : 1;
    this.#deny(first.asks, retryAfterMs * factor);
  }

  #deny(asks: string, waitMs: number): void {
    this.#deniedAsks = asks;
    this.#deniedUntilMs = performance.now() + Math.max(1, waitMs);
    this.#wasPromised = false;
  }

  /** Waits until asking is not in vain. Who cannot wait for so long, or is one too many, hears of it at once. */
  #block(): void {
    this.#cancelAlarm = alarmAt(this.#deniedUntilMs, () => {
      this.#wasPromised = true;
      this.#serve();
    });
    const waitMs = this.#deniedUntilMs - performance.now();
    let places = this.#sleeping.size;
    for (const waiter of this.#waiting) {
      const isTooLong = this.#deniedUntilMs > waiter.deadlineMs;
      if (!isTooLong && places < waiter.maxWaiters) {
        places += 1;
        continue;
      }
      this.#waiting.delete(waiter);
      if (isTooLong) waiter.tooLong(waitMs);
      else waiter.full();
    }
  }

  #grant(waiter: Waiter, slot: Slot): void {
    this.#waiting.delete(waiter);
    this.#wasPromised = false;
    if (isTooLate(slot, waiter)) {
      waiter.tooLong(slot.atMs - performance.now());
      void waiter.giveBack(slot.decision).catch(() => {});
    } else {
      this.#letSleep(waiter, slot);
    }
    const next = this.#first;
    const waitMs = next === undefined || slot.decision.delayMs > 0 ? 0 : next.foresee(slot.decision);
    if (next !== undefined && waitMs > 0 && !this.#isOutdated) this.#deny(next.asks, waitMs);
  }

  #letSleep(waiter: Waiter, slot: Slot): void {
    if (slot.decision.delayMs === 0) {
      waiter.granted(slot.decision);
      return;
    }
    const cancel = alarmAt(slot.atMs, () => {
      this.#sleeping.delete(waiter);
      waiter.granted(slot.decision);
      this.#endIfEmpty();
    });
    this.#sleeping.set(waiter, { slot, cancel });
  }

  /** Everyone behind who asks for the same moves up by one slot. The last of these slots goes to the first, or back. */
  async #handOver(slot: Slot, from: Waiter, behind: readonly Waiter[]): Promise<void> {
    let free = slot;
    const first = this.#first;
    for (const waiter of first === undefined ? behind : [...behind, first]) {
      if (waiter.asks !== from.asks || isTooLate(free, waiter)) continue;
      const held = this.#sleeping.get(waiter);
      held?.cancel();
      this.#waiting.delete(waiter);
      this.#letSleep(waiter, free);
      if (held === undefined) {
        this.#endIfEmpty();
        return;
      }
      free = held.slot;
    }
    await from.giveBack(free.decision).catch(() => {});
    this.lookAgain();
    this.#endIfEmpty();
  }

  #endIfEmpty(): void {
    if (this.#waiting.size + this.#sleeping.size > 0 || this.#isAsking) return;
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    this.#onEmpty();
  }
}

function isTooLate({ decision, atMs }: Slot, { deadlineMs }: Waiter): boolean {
  return decision.delayMs > 0 && atMs > deadlineMs;
}
