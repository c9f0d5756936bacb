import type { Numbers } from "./algorithm-definition.js";
import { LOOK, readActualCost } from "./ask.js";
import type { Decision } from "./decision.js";
import { InvalidCostError, InvalidKeyError, mayHaveCounted } from "./errors.js";
import { factNames } from "./fact-names.js";
import { givenBackAt } from "./given-back.js";
import { readDecision } from "./read-decision.js";
import { type Receipt, readReceipt, writeReceipt } from "./receipt.js";
import { spentReceipts } from "./spent-receipts.js";
import type { Limit, Outcome, Store } from "./store.js";
import { isWhole, shown } from "./whole.js";

/** How much longer than its grant can matter a spent receipt is remembered: the process's clock is not the store's. */
const RECEIPT_MARGIN_MS = 60_000;

/** What is changed about earlier grants of one limit: each receipt is good for one correction. */
export class Corrections<Name extends string> {
  readonly #name: Name;
  readonly #limit: Limit;
  readonly #store: Store;

  constructor(name: Name, limit: Limit, store: Store) {
    this.#name = name;
    this.#limit = limit;
    this.#store = store;
  }

  /** @throws InvalidKeyError, InvalidCostError for what cannot be corrected, as far as that can be told at once */
  check(decision: Decision, actualCost: number): void {
    readActualCost(this.#name, actualCost);
    this.#checkOwn(decision);
    if (decision.receipt !== "") this.#readReceipt(decision);
  }

  /** Gives back all that a decision took; with `isOwed` it goes past a breaker that is open. */
  async giveBack(decision: Decision, isOwed: boolean): Promise<void> {
    this.#checkOwn(decision);
    if (decision.receipt === "") return;
    const receipt = this.#readReceipt(decision);
    await this.#spend(decision, receipt, -receipt.taken, isOwed);
  }

  async settle(decision: Decision, actualCost: number): Promise<Decision<Name>> {
    const cost = readActualCost(this.#name, actualCost);
    this.#checkOwn(decision);
    if (decision.taken === 0) {
      const outcome = await this.adjust(decision.key, cost);
      return this.#settled(decision, cost, outcome, outcome.facts);
    }
    const receipt = decision.receipt === "" ? undefined : this.#readReceipt(decision);
    const delta = receipt === undefined ? 0 : cost - receipt.taken;
    const outcome = receipt && (await this.#spend(decision, receipt, delta));
    if (receipt === undefined || outcome === undefined) {
      // it was refunded or settled before: nothing is changed, and nothing can be
      const standing = await this.adjust(decision.key, 0);
      return { ...this.#settled(decision, cost, standing, []), taken: decision.taken, receipt: "" };
    }
    const { params = this.#limit.params } = outcome;
    const regranted = this.#limit.kernel.regrant(receipt.granted, delta, params);
    return this.#settled(decision, cost, outcome, regranted);
  }

  /** Makes a grant, or where none is told what is used, larger or smaller by `delta` units. */
  async adjust(key: string, delta: number, granted?: Numbers, isOwed = false): Promise<Outcome> {
    const outcome = await this.#store.adjust(this.#limit, key, { delta, granted }, isOwed);
    if (delta < 0) givenBackAt(this.#store, this.#limit, key);
    if (outcome.taken >= 0) return outcome;
    throw new InvalidCostError(
      `limiter ${shown(this.#name)}: ${delta} units more would be a debt too large to be counted exactly`,
    );
  }

  #settled(decision: Decision, cost: number, outcome: Outcome, granted: Numbers): Decision<Name> {
    const request = { commit: false, cost, least: cost, reserve: 0 };
    const settled = readDecision(
      this.#name,
      this.#limit,
      decision.key,
      request,
      { ...outcome, taken: cost },
      false,
    );
    // where there was no delay, none comes of a clock that steps back
    const heldUntilMs = decision.delayMs > 0 ? decision.decidedAtMs + decision.delayMs : 0;
    const delayMs = Math.max(0, heldUntilMs - outcome.nowMs);
    return {
      ...settled,
      delayMs,
      taken: cost,
      receipt: cost > 0 ? writeReceipt(this.#limit.kernel.tag, cost, granted) : "",
    };
  }

  /** Corrects a grant once; undefined when its receipt was spent already. */
  async #spend(
    decision: Decision,
    receipt: Receipt,
    delta: number,
    isOwed = false,
  ): Promise<Outcome | undefined> {
    const { issuer, serial, granted } = receipt;
    const spent = spentReceipts();
    const lifeMs = this.#lifeOf(decision, receipt, this.#limit.params);
    if (!spent.spend(issuer, serial, lifeMs + RECEIPT_MARGIN_MS)) return undefined;
    try {
      const outcome = await this.adjust(decision.key, delta, granted, isOwed);
      if (outcome.params !== undefined) {
        spent.keep(issuer, serial, this.#lifeOf(decision, receipt, outcome.params) + RECEIPT_MARGIN_MS);
      }
      return outcome;
    } catch (error) {
      // where the outcome is unknown the receipt stays spent: twice would be more than was taken
      if (!mayHaveCounted(error)) spent.restore(issuer, serial);
      throw error;
    }
  }

  /** For how long a grant can matter, under the policy that granted it and under one that holds now. */
  #lifeOf({ decidedAtMs, resetAfterMs }: Decision, { granted, taken }: Receipt, params: Numbers): number {
    const { kernel } = this.#limit;
    const saidMs = isWhole(resetAfterMs, 0) ? resetAfterMs : 0;
    // there is none but that of the key
    if ((params[0] ?? -1) < 0) return saidMs;
    const present = kernel.regrant(granted, 0, params);
    return Math.max(saidMs, kernel.report(present, decidedAtMs, taken, LOOK, params).resetAfterMs);
  }

  #checkOwn(decision: Decision): void {
    const { name, key, receipt, taken } = decision ?? {};
    const whole =
      typeof key === "string" && /^[^{}]+$/.test(key) && typeof receipt === "string" && isWhole(taken, 0);
    if (name === this.#name && whole) return;
    const got = whole ? `one of ${shown(name)}` : shown(decision);
    throw new InvalidKeyError(
      `limiter ${shown(this.#name)}: a decision of this limiter was expected, got ${got}`,
    );
  }

  #readReceipt(decision: Decision): Receipt {
    const { kernel } = this.#limit;
    return readReceipt(this.#name, kernel.tag, decision.receipt, factNames(kernel).length);
  }
}
