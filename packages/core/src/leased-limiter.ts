import { acquireOne } from "./acquire.js";
import { afterThisTurn } from "./after-this-turn.js";
import { alarmAt } from "./alarm.js";
import { isNever, NO_OPTIONS, type Request, readRequest } from "./ask.js";
import type { Decision } from "./decision.js";
import type { Duration } from "./duration.js";
import { isStoreError, StoreTimeoutError } from "./errors.js";
import { encodeKey } from "./key.js";
import { KeyLease, type Lessor } from "./key-lease.js";
import type { LeaseCall } from "./lease-line.js";
import type {
  AcquireOptions,
  ConsumeOptions,
  Key,
  Limiter,
  PeekOptions,
  Policy,
  ResetOptions,
} from "./limiter.js";
import { type Member, type PlainLimiter, setMembers } from "./members.js";
import { onAbort } from "./on-abort.js";
import { shown } from "./whole.js";

/** As far as `leased` needs a limiter. */
export type Leasable<Name extends string> = PlainLimiter<Name>;

/** A limiter that grants from portions that it holds; see {@link leased}, which makes it. */
export class LeasedLimiter<Name extends string = string> implements Leasable<Name> {
  readonly name: Name;
  readonly policy: Policy;
  readonly #limiter: Leasable<Name>;
  readonly #member: Member;
  readonly #terms: Lessor<Name>["terms"];
  readonly #leases = new Map<string, KeyLease<Name>>();
  /** What is on its way back to the store. */
  readonly #returning = new Set<Promise<void>>();
  #isClosed = false;

  constructor(limiter: Leasable<Name>, member: Member, terms: Lessor<Name>["terms"]) {
    this.name = limiter.name;
    this.policy = limiter.policy;
    this.#limiter = limiter;
    this.#member = member;
    this.#terms = terms;
    // in a composite it is the limit that it leases from: what it holds is no part of that
    setMembers(this, [{ ...member, isLeased: true }]);
  }

  /** As the limiter's own; `source` is `"lease"` where it was decided without the store. */
  consume(key: Key, options: ConsumeOptions = NO_OPTIONS): Promise<Decision<Name>> {
    try {
      const encoded = encodeKey(this.name, key);
      const request = readRequest(this.name, options, true);
      const { signal } = options;
      if (signal?.aborted) return Promise.reject(signal.reason);
      const lease = this.#leases.get(encoded);
      const granted = lease?.take(request);
      if (granted !== undefined) return Promise.resolve(this.#told(granted));
      if (this.#isClosed || this.#isNever(request)) return this.#limiter.consume(key, options);
      if (request.cost === 0) return this.#askForNothing(lease, key, options);
      return this.#fromNextPortion(lease ?? this.#leaseAt(encoded, key), key, request, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** As the limiter's own. What is held and does not do goes back first, as `consume` would have it. */
  async peek(key: Key, options: PeekOptions = NO_OPTIONS): Promise<Decision<Name>> {
    const encoded = encodeKey(this.name, key);
    const request = readRequest(this.name, options, false);
    options.signal?.throwIfAborted();
    const lease = this.#leases.get(encoded);
    await lease?.atRest();
    const foretold = this.#isNever(request) ? undefined : lease?.foretell(request);
    if (foretold === undefined) {
      await lease?.giveBack();
      return this.#limiter.peek(key, options);
    }
    this.#member.guard?.decided("peek", foretold);
    return foretold;
  }

  /**
   * Waits until a call is granted, from a portion or by the store; as the limiter's own. It asks again every `maxHoldMs`,
   * since what others hold may have gone back.
   */
  acquire(key: Key, options: AcquireOptions = NO_OPTIONS): Promise<Decision<Name>> {
    const { maxHoldMs } = this.#terms;
    const untilReturned: Pick<Limiter<Name>, "name" | "consume" | "peek"> = {
      name: this.name,
      peek: (...call) => this.peek(...call),
      consume: async (...call) => {
        const decision = await this.consume(...call);
        if (decision.reason !== "limited") return decision;
        return { ...decision, retryAfterMs: Math.min(decision.retryAfterMs, maxHoldMs) };
      },
    };
    return acquireOne(untilReturned, this.#member, key, options);
  }

  /** Gives back to the store what a decision took; as the limiter's own. */
  refund(decision: Decision): Promise<void> {
    return this.#limiter.refund(decision);
  }

  /** As the limiter's own. */
  settle(decision: Decision, actualCost: number): Promise<Decision<Name>> {
    return this.#limiter.settle(decision, actualCost);
  }

  /** Forgets what a key has used, and what this process holds of it. What others hold they may still grant. */
  async reset(key: Key, options?: ResetOptions): Promise<void> {
    const reset = () => this.#limiter.reset(key, options);
    const lease = this.#leases.get(encodeKey(this.name, key));
    return lease === undefined ? reset() : lease.forget(reset);
  }

  /** Blocks a key: from now on in this process, elsewhere once what is held there is used up or has gone back. */
  async block(key: Key, duration: Duration): Promise<void> {
    this.#leases.get(encodeKey(this.name, key))?.giveAllBack();
    return this.#limiter.block(key, duration);
  }

  /** Ends the block of a key, if it has one. */
  unblock(key: Key): Promise<void> {
    return this.#limiter.unblock(key);
  }

  /** Gives back all that is held, and holds nothing any more: from now on the store decides each call. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#leases.values()].map((lease) => lease.close()));
    this.#leases.clear();
    await Promise.all(this.#returning);
  }

  /** The store says what there is to say of a call that can never pass. */
  #isNever(request: Request): boolean {
    const { limit } = this.#member;
    return !limit.perKey && isNever(request, limit.limit);
  }

  /** As `peek` does: what is held must not speak against a call that takes nothing. */
  async #askForNothing(
    lease: KeyLease<Name> | undefined,
    key: Key,
    options: ConsumeOptions,
  ): Promise<Decision<Name>> {
    await lease?.atRest();
    await lease?.giveBack();
    return this.#limiter.consume(key, options);
  }

  #leaseAt(encoded: string, key: Key): KeyLease<Name> {
    const { limiter, plain = limiter } = this.#member;
    const lent = typeof key === "string" ? key : [...key];
    const lease = new KeyLease<Name>({
      terms: this.#terms,
      charge: async (options) => this.#own(await plain.consume(lent, options)),
      giveBack: (granted, used) => this.#giveBack(plain.settle(granted, used)),
      onIdle: () => this.#leases.delete(encoded),
    });
    this.#leases.set(encoded, lease);
    return lease;
  }

  #giveBack(settled: Promise<unknown>): Promise<void> {
    const returned: Promise<void> = settled.then(
      () => void this.#returning.delete(returned),
      // it is lost until it lapses, as if this process had crashed
      () => void this.#returning.delete(returned),
    );
    this.#returning.add(returned);
    return returned;
  }

  #fromNextPortion(
    lease: KeyLease<Name>,
    key: Key,
    request: Request,
    options: ConsumeOptions,
  ): Promise<Decision<Name>> {
    return new Promise((resolve, reject) => {
      const call: LeaseCall<Name> = {
        request,
        isAsked: false,
        hasLeft: false,
        granted: (decision) => {
          stop();
          resolve(this.#told(decision));
        },
        failed: (error) => {
          stop();
          this.#standIn(error, key, options).then(resolve, reject);
        },
      };
      const cancelAlarm = this.#alarm(call);
      const stopListening = onAbort(options.signal, () => {
        stop();
        reject(options.signal?.reason);
      });
      const stop = (): void => {
        call.hasLeft = true;
        cancelAlarm();
        stopListening();
      };
      lease.join(call);
    });
  }

  /** A call waits no longer than a call to the store may take, however many go before it. */
  #alarm(call: LeaseCall<Name>): () => void {
    const { timeoutMs } = this.#member.store;
    if (timeoutMs === undefined) return () => {};
    const late = (): void => {
      if (call.hasLeft) return;
      const problem = `limiter ${shown(this.name)}: no portion came within ${timeoutMs} ms`;
      call.failed(new StoreTimeoutError(problem, { mayHaveCounted: call.isAsked, limiterName: this.name }));
    };
    // whatever has arrived by then is in time
    return alarmAt(performance.now() + timeoutMs, () => afterThisTurn(late));
  }

  /** What the limiter answers when its store fails. */
  async #standIn(error: unknown, key: Key, options: ConsumeOptions): Promise<Decision<Name>> {
    const { guard, standIn } = this.#member;
    if (!isStoreError(error)) throw error;
    guard?.failed("consume", error);
    if (standIn === undefined) throw error;
    return this.#told(this.#own(await standIn(key, options, true)));
  }

  #own(decision: Decision): Decision<Name> {
    if (this.#isOwn(decision)) return decision;
    throw new TypeError(`limiter ${this.name} was given a decision of ${decision.name}`);
  }

  #isOwn(decision: Decision): decision is Decision<Name> {
    return decision.name === this.name || decision.source === "fallback";
  }

  #told(decision: Decision<Name>): Decision<Name> {
    this.#member.guard?.decided("consume", decision);
    return decision;
  }
}
