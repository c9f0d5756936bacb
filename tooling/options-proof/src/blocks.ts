import { anyTraffic, operationsOf, START_MS } from "@sluice/algorithm-proof";
import type { Decision, Limiter, Store } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { BlockModel, blocked, blocking } from "./block-model.ts";
import { openMemory, type Place } from "./stores.ts";
import type { Subject } from "./subject.ts";
import { outcomeOf, told, written } from "./told.ts";

const NAME = "blocking";
const KEY = "key";

type Operation = ReturnType<typeof operationsOf>[number];
type Consume = Operation & { readonly do: "consume" | "peek" };

/** What people and time do about a block. */
type Act =
  | { readonly do: "block"; readonly spanMs: number }
  | { readonly do: "unblock" }
  | { readonly do: "reset and keep the block" }
  | { readonly do: "wait for its end"; readonly plusMs: number };

export interface BlockTrace<Own extends object> {
  readonly own: Own;
  readonly blockFor: number | "by-hand";
  readonly traffic: Parameters<typeof operationsOf>[0];
  /** What happens before each operation of the traffic. */
  readonly acts: readonly (Act | undefined)[];
}

/** On a server a block lasts at least this long in real time, while a test's clock stands still. */
const spans = fc.integer({ min: 2_000, max: 8_000 });
const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant("block" as const), spanMs: spans }),
  fc.record({ do: fc.constant("unblock" as const) }),
  fc.record({ do: fc.constant("reset and keep the block" as const) }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait for its end" as const), plusMs: fc.constantFrom(-1, 0) }),
  },
);

export function blockTraces<Own extends object>({ policies }: Subject<Own>): fc.Arbitrary<BlockTrace<Own>> {
  return fc.record({
    own: policies,
    blockFor: fc.oneof(
      { weight: 4, arbitrary: spans },
      { weight: 1, arbitrary: fc.constant("by-hand" as const) },
    ),
    traffic: anyTraffic,
    acts: fc.array(fc.option(acts, { nil: undefined, freq: 2 }), { minLength: 20, maxLength: 20 }),
  });
}

/** Takes a key of a limiter through operations. */
export class Caller {
  readonly limiter: Limiter;
  readonly #clock: ManualClock;
  readonly #decisions = new Map<number, Decision>();

  constructor(limiter: Limiter, clock: ManualClock) {
    this.limiter = limiter;
    this.#clock = clock;
  }

  async act(act: Act, untilMs: number): Promise<void> {
    if (act.do === "block") await this.limiter.block(KEY, act.spanMs);
    else if (act.do === "unblock") await this.limiter.unblock(KEY);
    else if (act.do === "wait for its end") this.#clock.set(Math.max(this.#clock(), untilMs + act.plusMs));
    else await this.limiter.reset(KEY, { keepBlock: true });
  }

  async perform(operation: Operation): Promise<Decision | undefined> {
    switch (operation.do) {
      case "wait":
        this.#clock.set(Math.max(0, Math.min(this.#clock() + operation.ms, 2 ** 52)));
        return undefined;
      case "reset":
        await this.limiter.reset(KEY);
        return undefined;
      case "refund":
        await this.limiter.refund(this.#decisionOn(operation.call));
        return undefined;
      case "settle": {
        const settled = await this.limiter.settle(this.#decisionOn(operation.call), operation.actualCost);
        return this.#keep(operation.call, settled);
      }
      default:
        return this.#keep(operation.call, await this.decide(operation));
    }
  }

  protected decide({ do: what, cost, atLeast, reserve }: Consume): Promise<Decision> {
    if (what === "peek") return this.limiter.peek(KEY, { cost, reserve });
    return this.limiter.consume(KEY, { cost, atLeast, reserve });
  }

  #decisionOn(call: number): Decision {
    const decision = this.#decisions.get(call);
    if (decision === undefined) throw new Error(`call ${call} was not made`);
    return decision;
  }

  #keep(call: number, decision: Decision): Decision {
    this.#decisions.set(call, decision);
    return decision;
  }
}

/** A limiter that knows of no blocks, and the model of a block before it. */
class ModelledCaller extends Caller {
  readonly block = new BlockModel();
  readonly #clock: ManualClock;
  readonly #blockForMs: number;

  constructor(limiter: Limiter, clock: ManualClock, blockFor: number | "by-hand") {
    super(limiter, clock);
    this.#clock = clock;
    this.#blockForMs = blockFor === "by-hand" ? 0 : blockFor;
  }

  override async act(act: Act, untilMs: number): Promise<void> {
    if (act.do === "block") this.block.block(this.#clock(), act.spanMs);
    else if (act.do === "unblock") this.block.unblock();
    else await super.act(act, untilMs);
  }

  override async perform(operation: Operation): Promise<Decision | undefined> {
    if (operation.do === "reset") this.block.unblock();
    return super.perform(operation);
  }

  protected override async decide(call: Consume): Promise<Decision> {
    const nowMs = this.#clock();
    const leftMs = this.block.leftMs(nowMs);
    if (call.do === "peek") {
      const alone = await super.decide(call);
      return leftMs > 0 ? blocked(alone, leftMs) : alone;
    }
    const { cost, atLeast, reserve } = call;
    if (leftMs > 0) {
      this.block.found(nowMs);
      // denied as it is, it may bring a date from the future back to now, as every denial does
      await this.limiter.consume(KEY, { cost: this.limiter.policy.limit, reserve: 1 });
      return { ...blocked(await this.limiter.peek(KEY, { cost: atLeast, reserve }), leftMs), cost };
    }
    const decision = await super.decide(call);
    if (decision.reason !== "limited" || this.#blockForMs === 0 || cost === 0) return decision;
    const unreserved = await this.limiter.peek(KEY, { cost: atLeast });
    if (unreserved.allowed) return decision;
    this.block.block(nowMs, this.#blockForMs);
    return blocking(decision, this.#blockForMs);
  }
}

/** Takes memory, Redis and the model of a block through a trace: all three must answer alike in every field. */
export async function compareBlocks<Own extends object>(
  { create }: Subject<Own>,
  openRedis: (clock: ManualClock) => Place,
  { own, blockFor, traffic, acts: before }: BlockTrace<Own>,
): Promise<void> {
  const clock = manualClock(START_MS);
  const limiterOn = (store: Store): Limiter => create<string>({ ...own, name: NAME, store, blockFor });
  const plain = create<string>({ ...own, name: NAME, store: openMemory(clock).store });
  const model = new ModelledCaller(plain, clock, blockFor);
  const memory = new Caller(limiterOn(openMemory(clock).store), clock);
  const redis = new Caller(limiterOn(openRedis(clock).store), clock);

  const log = [`${written(own)}, blockFor ${blockFor}`];
  for (const [index, operation] of operationsOf(traffic, plain.policy).entries()) {
    const act = before[index];
    const atMs = clock();
    const answers: string[] = [];
    const { untilMs } = model.block;
    for (const caller of [memory, redis, model]) {
      // a wait moves the one clock that all of them share
      clock.set(atMs);
      if (act !== undefined) await caller.act(act, untilMs);
      const outcome = await outcomeOf(async () => {
        const decision = await caller.perform(operation);
        return decision && told(decision);
      });
      answers.push(written(outcome));
    }
    log.push(`${atMs} ${written(act)}, then ${written(operation)}`, ...answers);
    if (new Set(answers).size > 1) {
      throw new Error(["memory, Redis and the model do not answer alike:", ...log].join("\n  "));
    }
  }
}
