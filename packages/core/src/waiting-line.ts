import { alarmAt } from "./alarm.js";
import type { Decision } from "./decision.js";
import type { Herd, Herded, Herds } from "./herd.js";
import { type Foreseen, isTooLate, type Slot, type Waiter } from "./waiter.js";

/** Where a line stands. */
export interface Standing {
  /** The keys at which other lines stand too, as far as they go by turns. */
  readonly keyIds: readonly string[];
  readonly herds: Herds;
  onEmpty(): void;
}

/** The most that is added to a wait after another process was faster, as a part of it. */
const JITTER = 0.1;

/**
 * Those who wait for one key in this process. The first of them alone asks the store, sleeps as long as it was told to, and
 * asks again; the others wait for their turn. In a queue a grant is a slot in the future: who has one sleeps until then,
 * and the next one asks. When somebody leaves, whoever is behind and asks for the same moves up.
 *
 * Where one of several limits denies, the line waits in the {@link Herd} of its key, which says when to ask.
 */
export class WaitingLine implements Herded {
  /** Without a grant, in order of arrival. */
  readonly #waiting = new Set<Waiter>();
  /** With a slot, in order of the slots. */
  readonly #sleeping = new Map<Waiter, { slot: Slot; cancel: () => void }>();
  readonly #standing: Standing;
  #herd: Herd | undefined;
  #isAsking = false;
  /** Whether something was given back while the store was being asked: its answer may come from before. */
  #isOutdated = false;
  /** Until when it is known to be in vain to ask for what `#deniedAsks` says, by `performance.now()`. */
  #deniedUntilMs = 0;
  #deniedAsks = "";
  /** Whether the first has waited for as long as it was told to. */
  #wasPromised = false;
  #cancelAlarm: (() => void) | undefined;

  constructor(standing: Standing) {
    this.#standing = standing;
  }

  join(waiter: Waiter): void {
    const isBlocked = this.#cancelAlarm !== undefined || (this.#herd !== undefined && !this.#isAsking);
    const untilMs = this.#herd?.untilMs ?? this.#deniedUntilMs;
    const size = this.#waiting.size + this.#sleeping.size;
    const isFull = (isBlocked || this.#sleeping.size > 0) && size >= waiter.maxWaiters;
    if (isBlocked && untilMs > waiter.deadlineMs) {
      waiter.tooLong(untilMs - performance.now());
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
    // where that matters to its herd, that hears of it too
    if (this.#herd !== undefined) return;
    this.#deniedUntilMs = 0;
    this.#wasPromised = false;
    this.#serve();
  }

  get asks(): string {
    return this.#first?.asks ?? "";
  }

  takeTurn(wasPromised: boolean): void {
    const first = this.#first;
    const other = first && this.#findHerd((herd) => herd !== this.#herd && herd.isInVain(first.asks));
    if (first === undefined) {
      this.#serve();
    } else if (other !== undefined) {
      this.#standIn(other.id);
      this.#serve();
    } else {
      this.#wasPromised = wasPromised;
      void this.#ask(first);
    }
  }

  foresee(granted: Decision): Foreseen | undefined {
    return this.#first?.foresee(granted);
  }

  /** Who cannot wait for so long, or is one too many, hears of it at once. */
  refuseBefore(untilMs: number): void {
    const waitMs = untilMs - performance.now();
    let places = this.#sleeping.size;
    for (const waiter of this.#waiting) {
      const isTooLong = untilMs > waiter.deadlineMs;
      if (this.isDeciding(waiter) || (!isTooLong && places < waiter.maxWaiters)) {
        places += 1;
        continue;
      }
      this.#waiting.delete(waiter);
      if (isTooLong) waiter.tooLong(waitMs);
      else waiter.full();
    }
    if (this.#waiting.size === 0) this.#serve();
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
        this.#leaveHerd();
        this.#endIfEmpty();
        return;
      }
      // behind those who wait at one of its keys
      const herd = this.#herd ?? (this.#isInVain(first) ? undefined : this.#findHerd(() => true));
      const untilMs = herd?.untilMs ?? this.#deniedUntilMs;
      if (this.#sleeping.size >= first.maxWaiters) {
        this.#waiting.delete(first);
        first.full();
      } else if (herd === undefined && !this.#isInVain(first)) {
        void this.#ask(first);
      } else if (untilMs > first.deadlineMs) {
        this.#waiting.delete(first);
        first.tooLong(untilMs - performance.now());
      } else if (herd === undefined) {
        this.#block();
        return;
      } else {
        if (herd !== this.#herd) this.#standIn(herd.id);
        this.#herd?.serve();
        return;
      }
    }
  }

  #isInVain({ asks }: Waiter): boolean {
    return asks === this.#deniedAsks && this.#deniedUntilMs > performance.now();
  }

  #findHerd(suits: (herd: Herd) => boolean): Herd | undefined {
    for (const id of this.#standing.keyIds) {
      const herd = this.#standing.herds.find(id);
      if (herd !== undefined && suits(herd)) return herd;
    }
    return undefined;
  }

  #standIn(id: string): Herd {
    if (this.#herd?.id !== id) this.#leaveHerd();
    const isNew = this.#herd === undefined;
    const herd = this.#herd ?? this.#standing.herds.at(id);
    this.#herd = herd;
    herd.stand(this);
    if (isNew) this.refuseBefore(herd.untilMs);
    return herd;
  }

  #leaveHerd(granted?: Decision): void {
    const herd = this.#herd;
    this.#herd = undefined;
    herd?.leave(this, granted);
  }

  async #ask(first: Waiter): Promise<void> {
    this.#isAsking = true;
    this.#isOutdated = false;
    try {
      const decision = await first.attempt();
      const slot = { decision, atMs: performance.now() + decision.delayMs };
      // its caller has left meanwhile
      if (decision.allowed && !this.#waiting.has(first)) await this.#handOver(slot, first, []);
      this.#isAsking = false;
      if (!decision.allowed) this.#noteDenial(first, decision);
      else if (this.#waiting.has(first)) this.#grant(first, slot);
      else this.#leaveHerd();
    } catch (error) {
      this.#isAsking = false;
      if (this.#waiting.delete(first)) first.failed(error);
      this.#leaveHerd();
    }
    this.#serve();
  }

  #noteDenial(first: Waiter, denied: Decision): void {
    if (denied.reason === "never") {
      if (this.#waiting.delete(first)) first.tooLong(denied.retryAfterMs);
      this.#leaveHerd();
      return;
    }
    // whoever waits elsewhere was told the same: they should not all come back at once
    const factor = this.#wasPromised ? 1 + JITTER * Math.random() : 1;
    this.#deny(first.asks, { waitMs: denied.retryAfterMs * factor, by: first.deniedBy?.(denied) });
  }

  #deny(asks: string, { waitMs, by }: Foreseen): void {
    const untilMs = performance.now() + Math.max(1, waitMs);
    this.#wasPromised = false;
    if (by === undefined) {
      this.#leaveHerd();
      if (this.#isOutdated) return;
      this.#deniedAsks = asks;
      this.#deniedUntilMs = untilMs;
      return;
    }
    const herd = this.#standIn(by);
    if (!this.#isOutdated) herd.deny(asks, untilMs);
    // whose time was up while the store was asked has no alarm any more
    this.refuseBefore(this.#isOutdated ? performance.now() : untilMs);
  }

  #block(): void {
    this.#cancelAlarm = alarmAt(this.#deniedUntilMs, () => {
      this.#wasPromised = true;
      this.#serve();
    });
    this.refuseBefore(this.#deniedUntilMs);
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
    const isTelling = slot.decision.delayMs === 0 && !this.#isOutdated;
    this.#leaveHerd(isTelling ? slot.decision : undefined);
    const next = this.#first;
    const foreseen = isTelling ? next?.foresee(slot.decision) : undefined;
    if (next !== undefined && foreseen !== undefined && foreseen.waitMs > 0) this.#deny(next.asks, foreseen);
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
        this.#serve();
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
    this.#standing.onEmpty();
  }
}
