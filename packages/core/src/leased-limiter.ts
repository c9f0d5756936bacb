import { acquireOne } from "./acquire.js";
import { isNever, NO_OPTIONS, type Request, readRequest } from "./ask.js";
import type { Decision } from "./decision.js";
import type { Duration } from "./duration.js";
import { isStoreError } from "./errors.js";
import { encodeKey } from "./key.js";
import { KeyLease, type LeaseCall, type Lessor } from "./key-lease.js";
import type {
  AcquireOptions,
  ConsumeOptions,
  Key,
  Limiter,
  PeekOptions,
  Policy,
  ResetOptions,
} from "./limiter.js";
import { type Member, setMembers } from "./members.js";
import { onAbort } from "./on-abort.js";

/** As far as `leased` needs a limiter. */
export type Leasable<Name extends string> = Pick<
  Limiter<Name>,
  "name" | "policy" | "consume" | "peek" | "refund" | "settle" | "reset" | "block" | "unblock"
>;

/** A limiter that grants from portions that it holds; see {@link leased}, which makes it. */
export class LeasedLimiter<Name extends string = string> implements Leasable<Name> {
  readonly name: Name;
  readonly policy: Policy;
  readonly #limiter: Leasable<Name>;
  readonly #member: Member;
  readonly #terms: Lessor<Name>["terms"];
  readonly #leases = new Map<string, KeyLease<Name>>();
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
      if (this.#isClosed || !this.#canLease(request)) return this.#limiter.consume(key, options);
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
    const foretold = this.#canLease(request) ? lease?.foretell(request) : undefined;
    if (foretold === undefined) {
      lease?.giveBack();
      return this.#limiter.peek(key, options);
    }
    this.#member.guard?.decided("peek", foretold);
    return foretold;
  }

  /** Waits until a call is granted, from a portion or by the store; as the limiter's own. */
  acquire(key: Key, options: AcquireOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return acquireOne(this, this.#member, key, options);
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
    this.#leases.get(encodeKey(this.name, key))?.drop();
    return this.#limiter.reset(key, options);
  }

  /** Blocks a key: from now on in this process, elsewhere once what is held there is used up or has gone back. */
  async block(key: Key, duration: Duration): Promise<void> {
    this.#leases.get(encodeKey(this.name, key))?.giveBack();
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
  }

  /** Nothing is held for a call that asks for nothing, or can never pass: the store says what there is to say. */
  #canLease(request: Request): boolean {
    const { limit } = this.#member;
    return request.cost > 0 && (limit.perKey || !isNever(request, limit.limit));
  }

  #leaseAt(encoded: string, key: Key): KeyLease<Name> {
    const { limiter, plain = limiter } = this.#member;
    const lent = typeof key === "string" ? key : [...key];
    const lease = new KeyLease<Name>({
      terms: this.#terms,
      charge: async (options) => this.#own(await plain.consume(lent, options)),
      giveBack: (granted, used) => plain.settle(granted, used),
      onIdle: () => this.#leases.delete(encoded),
    });
    this.#leases.set(encoded, lease);
    return lease;
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
        granted: (decision) => {
          stopListening();
          resolve(this.#told(decision));
        },
        failed: (error) => {
          stopListening();
          this.#standIn(error, key, options).then(resolve, reject);
        },
      };
      const stopListening = onAbort(options.signal, () => {
        lease.leave(call);
        reject(options.signal?.reason);
      });
      lease.join(call);
    });
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
