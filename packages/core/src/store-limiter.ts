import type { CompiledPolicy, Kernel, Numbers } from "./algorithm-definition.js";
import { LOOK, type Request, readActualCost, readRequest } from "./ask.js";
import type { Decision } from "./decision.js";
import { InvalidCostError, InvalidKeyError, StoreError } from "./errors.js";
import { factNames } from "./fact-names.js";
import { encodeKey } from "./key.js";
import type { ConsumeOptions, Key, Limiter, PeekOptions, Policy } from "./limiter.js";
import { type Receipt, readReceipt, writeReceipt } from "./receipt.js";
import { unlessAborted } from "./signal.js";
import { spentReceipts } from "./spent-receipts.js";
import type { Limit, Outcome, Store } from "./store.js";
import { isWhole, shown } from "./whole.js";

const NO_OPTIONS = {};
/** How much longer than its grant can matter a spent receipt is remembered: the process's clock is not the store's. */
const RECEIPT_MARGIN_MS = 60_000;

/** What makes a limiter: a kernel, a policy for it, and the store that keeps the state. */
export interface LimiterParts<Name extends string, Own extends object> {
  readonly name: Name;
  readonly kernel: Kernel;
  readonly compiled: CompiledPolicy;
  readonly store: Store;
  /** Makes a limiter like this one with some of its own options replaced. */
  readonly variant: (own: Partial<Own>) => Limiter<Name, Own>;
}

/** A limiter whose state lives in a store: checks what it is told, lets the store decide, and reads the answer out. */
export class StoreLimiter<Name extends string, Own extends object> implements Limiter<Name, Own> {
  readonly name: Name;
  readonly policy: Policy;
  readonly #parts: LimiterParts<Name, Own>;
  readonly #limit: Limit;

  constructor(parts: LimiterParts<Name, Own>) {
    const { name, kernel, compiled } = parts;
    this.name = name;
    this.policy = frozen({
      algorithm: kernel.id,
      limit: compiled.limit,
      windowMs: compiled.windowMs,
      ...compiled.data,
    });
    this.#parts = parts;
    this.#limit = {
      name,
      space: `${name}:${kernel.tag}.${kernel.version}`,
      kernel,
      params: compiled.params,
      limit: compiled.limit,
    };
  }

  consume(key: Key, options: ConsumeOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return this.#decide(key, options, true);
  }

  peek(key: Key, options: PeekOptions = NO_OPTIONS): Promise<Decision<Name>> {
    return this.#decide(key, options, false);
  }

  async refund(decision: Decision): Promise<void> {
    this.#checkOwn(decision);
    if (decision.receipt === "") return;
    const receipt = this.#readReceipt(decision);
    await this.#spend(decision, receipt, -receipt.taken);
  }

  async settle(decision: Decision, actualCost: number): Promise<Decision<Name>> {
    const cost = readActualCost(this.name, actualCost);
    this.#checkOwn(decision);
    if (decision.taken === 0) {
      const outcome = await this.#adjust(decision.key, cost, undefined);
      return this.#settled(decision, cost, outcome, outcome.facts);
    }
    const receipt = decision.receipt === "" ? undefined : this.#readReceipt(decision);
    const delta = receipt === undefined ? 0 : cost - receipt.taken;
    const outcome = receipt && (await this.#spend(decision, receipt, delta));
    if (receipt === undefined || outcome === undefined) {
      // it was refunded or settled before: nothing is changed, and nothing can be
      const standing = await this.#adjust(decision.key, 0, undefined);
      return { ...this.#settled(decision, cost, standing, []), taken: decision.taken, receipt: "" };
    }
    const regranted = this.#limit.kernel.regrant(receipt.granted, delta, this.#limit.params);
    return this.#settled(decision, cost, outcome, regranted);
  }

  async reset(key: Key): Promise<void> {
    await this.#parts.store.forget(this.#limit, encodeKey(this.name, key));
  }

  with(own: Partial<Own>): Limiter<Name, Own> {
    return this.#parts.variant(own);
  }

  async #decide(key: Key, options: ConsumeOptions, commit: boolean): Promise<Decision<Name>> {
    const encoded = encodeKey(this.name, key);
    const request = readRequest(this.name, this.policy.limit, options, commit);
    const { signal } = options;
    if (signal?.aborted) throw signal.reason;
    const outcome = this.#parts.store.decide(this.#limit, encoded, request);
    if ("taken" in outcome) return this.#decision(encoded, request, outcome);
    const decided = outcome.then((late) => this.#decision(encoded, request, late));
    // what is granted to a caller who has left is given back
    return unlessAborted(signal, decided, (late) => void this.refund(late).catch(() => {}));
  }

  #decision(key: string, request: Request, { taken, nowMs, facts }: Outcome): Decision<Name> {
    const { kernel, params } = this.#limit;
    const allowed = taken >= 0;
    const charged = request.commit && allowed ? taken : 0;
    const report = kernel.report(facts, nowMs, allowed ? charged : taken, request, params);
    return {
      allowed,
      limit: this.policy.limit,
      windowMs: this.policy.windowMs,
      remaining: report.remaining,
      retryAfterMs: allowed ? 0 : request.never ? Number.POSITIVE_INFINITY : report.retryAfterMs,
      resetAfterMs: report.resetAfterMs,
      delayMs: allowed ? report.delayMs : 0,
      cost: request.asked,
      taken: charged,
      name: this.name,
      key,
      decidedAtMs: nowMs,
      reason: allowed ? "allowed" : request.never ? "never" : "limited",
      source: "store",
      receipt: charged > 0 ? writeReceipt(kernel.tag, charged, facts) : "",
    };
  }

  #settled(decision: Decision, cost: number, outcome: Outcome, granted: Numbers): Decision<Name> {
    const request = { commit: false, asked: cost, never: false, cost, least: cost, reserve: 0 };
    const settled = this.#decision(decision.key, request, { ...outcome, taken: cost });
    const delayMs = Math.max(0, decision.decidedAtMs + decision.delayMs - outcome.nowMs);
    return {
      ...settled,
      delayMs,
      taken: cost,
      receipt: cost > 0 ? writeReceipt(this.#limit.kernel.tag, cost, granted) : "",
    };
  }

  /** Corrects a grant once; undefined when its receipt was spent already. */
  async #spend(decision: Decision, receipt: Receipt, delta: number): Promise<Outcome | undefined> {
    const { kernel, params } = this.#limit;
    const { issuer, serial, granted } = receipt;
    const present = kernel.regrant(granted, 0, params);
    const { resetAfterMs } = kernel.report(present, decision.decidedAtMs, receipt.taken, LOOK, params);
    const spent = spentReceipts();
    if (!spent.spend(issuer, serial, resetAfterMs + RECEIPT_MARGIN_MS)) return undefined;
    try {
      return await this.#adjust(decision.key, delta, granted);
    } catch (error) {
      // where the outcome is unknown the receipt stays spent: twice would be more than was taken
      if (!(error instanceof StoreError && error.mayHaveCounted)) spent.restore(issuer, serial);
      throw error;
    }
  }

  async #adjust(key: string, delta: number, granted: Numbers | undefined): Promise<Outcome> {
    const { kernel, params } = this.#limit;
    const inPresentMeasure = granted && kernel.regrant(granted, 0, params);
    const outcome = await this.#parts.store.adjust(this.#limit, key, { delta, granted: inPresentMeasure });
    if (outcome.taken >= 0) return outcome;
    throw new InvalidCostError(
      `limiter ${shown(this.name)}: ${delta} units more would be a debt too large to be counted exactly`,
    );
  }

  #checkOwn(decision: Decision): void {
    const { name, key, receipt, taken } = decision ?? {};
    const whole =
      typeof key === "string" && /^[^{}]+$/.test(key) && typeof receipt === "string" && isWhole(taken, 0);
    if (name === this.name && whole) return;
    const got = whole ? `one of ${shown(name)}` : shown(decision);
    throw new InvalidKeyError(
      `limiter ${shown(this.name)}: a decision of this limiter was expected, got ${got}`,
    );
  }

  #readReceipt(decision: Decision): Receipt {
    const { kernel } = this.#limit;
    return readReceipt(this.name, kernel.tag, decision.receipt, factNames(kernel).length);
  }
}

/** Data of which no part can be changed, however deep. */
function frozen<Data extends object>(data: Data): Readonly<Data> {
  for (const value of Object.values(data)) if (typeof value === "object" && value !== null) frozen(value);
  return Object.freeze(data);
}
