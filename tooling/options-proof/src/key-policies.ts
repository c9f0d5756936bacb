import { Actor, anyTraffic, operationsOf, START_MS } from "@sluice/algorithm-proof";
import type { Decision, KeyedLimits, Limiter, Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { openMemory, type Place } from "./stores.ts";
import type { Subject } from "./subject.ts";
import { type Outcome, outcomeOf, told, written } from "./told.ts";

const NAME = "keyed";
const KEY = "key";

export type Keyed<Own extends object> = Limiter<string, Own> & KeyedLimits<Own>;
type Traffic = Parameters<typeof operationsOf>[0];
type Operation = ReturnType<typeof operationsOf>[number];

/** A limiter whose keys may have policies of their own, and those without one `fallback`. */
export function keyedLimiter<Own extends object>(
  { create }: Subject<Own>,
  store: Store,
  fallback: Partial<Own> = {},
): Keyed<Own> {
  return create<string>({ ...fallback, name: NAME, store, perKey: true });
}

/** Traffic on one key, and before each operation what happens to the key's policy. */
export interface KeyTrace<Own extends object> {
  readonly traffic: Traffic;
  readonly policies: readonly [Own, Own, Own];
  /** Whether the first of the policies holds for keys without one. */
  readonly hasFallback: boolean;
  readonly changes: readonly ("keep" | "clear" | number)[];
}

const changes = fc.oneof(
  { weight: 5, arbitrary: fc.constant("keep" as const) },
  { weight: 3, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: fc.constant("clear" as const) },
);

export function keyTraces<Own extends object>({ policies }: Subject<Own>): fc.Arbitrary<KeyTrace<Own>> {
  return fc.record({
    traffic: anyTraffic,
    policies: fc.tuple(policies, policies, policies),
    hasFallback: fc.boolean(),
    changes: fc.array(changes, { minLength: 20, maxLength: 20 }),
  });
}

/** One store's part in a trace: policies are set from elsewhere. */
class Side<Own extends object> {
  readonly actor: Actor;
  readonly #limiter: Keyed<Own>;
  readonly #elsewhere: Keyed<Own>;

  constructor(subject: Subject<Own>, { store, elsewhere, clock }: Place, fallback: Own | undefined) {
    this.#limiter = keyedLimiter(subject, store, fallback);
    this.#elsewhere = keyedLimiter(subject, elsewhere, fallback);
    this.actor = new Actor(this.#limiter, clock, KEY);
  }

  async change(own: Own | undefined): Promise<void> {
    if (own === undefined) await this.#elsewhere.clearLimit(KEY);
    else await this.#elsewhere.setLimit(KEY, own);
  }

  async forget(): Promise<void> {
    await this.#limiter.reset(KEY);
  }

  async answer(operation: Operation): Promise<string> {
    return written([await this.#limiter.getLimit(KEY), await performed(this.actor, operation)]);
  }
}

/**
 * Takes memory and Redis through a trace, and beside them a limiter whose keys have no policies, and which is made anew
 * whenever the policy changes: all three must answer alike in every field. Where there is no policy at all, memory and
 * Redis must answer alike, and decide nothing.
 */
export async function compareKeyPolicies<Own extends object>(
  subject: Subject<Own>,
  openRedis: (clock: ManualClock) => Place,
  { traffic, policies, hasFallback, changes: steps }: KeyTrace<Own>,
): Promise<void> {
  const clock = manualClock(START_MS);
  const fallback = hasFallback ? policies[0] : undefined;
  const memory = new Side(subject, openMemory(clock), fallback);
  const redis = new Side(subject, openRedis(clock), fallback);
  const { store } = openMemory(clock);
  const [first, second, third] = policies.map((own) => subject.create<string>({ ...own, name: NAME, store }));
  if (!first || !second || !third) throw new Error("there are three policies");
  const plain = [first, second, third];
  const operations = plain.map(({ policy }) => operationsOf(traffic, policy));
  const twin = new Actor(first, clock, KEY);

  const log: string[] = [written(policies)];
  let own: number | undefined;
  for (const [index, change] of steps.entries()) {
    if (change !== "keep") {
      own = change === "clear" ? undefined : change;
      const policy = own === undefined ? undefined : policies[own];
      await Promise.all([memory.change(policy), redis.change(policy)]);
      log.push(`the key's policy: ${own}`);
    }
    const inForce = own ?? (hasFallback ? 0 : undefined);
    const operation = operations[inForce ?? 0]?.[index];
    if (operation === undefined) return;

    // memory forgets to the millisecond, by the test's clock; Redis later, by its own
    const { resetAfterMs } = await (plain[inForce ?? 0] ?? first).peek(KEY);
    if (resetAfterMs === 0) await Promise.all([memory.forget(), redis.forget(), first.reset(KEY)]);

    // a wait moves the one clock that all of them share
    const atMs = clock();
    const inMemory = await memory.answer(operation);
    clock.set(atMs);
    const onRedis = await redis.answer(operation);
    clock.set(atMs);
    const isDecidable = inForce !== undefined || operation.do === "wait" || operation.do === "reset";
    const plainly = isDecidable
      ? written([
          own === undefined ? undefined : plain[own]?.policy,
          await performed(twin, operation, plain[inForce ?? 0]),
        ])
      : undecided(inMemory);
    log.push(`${atMs} ${written(operation)}`, inMemory, onRedis, plainly);
    if (inMemory !== onRedis || inMemory !== plainly) {
      throw new Error(["memory, Redis and a plain limiter do not answer alike:", ...log].join("\n  "));
    }
  }
}

function performed(
  actor: Actor,
  operation: Operation,
  limiter?: Limiter,
): Promise<Outcome<Decision | undefined>> {
  return outcomeOf(async () => {
    const decision = await actor.perform(operation, limiter);
    return decision && told(decision);
  });
}

function undecided(answer: string): string {
  return answer.includes('"allowed"') ? "no decision" : answer;
}
