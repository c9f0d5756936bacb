import { check, START_MS } from "@sluice/algorithm-proof";
import { type CompositeDecision, compose, memoryStore } from "@sluice/core";
import { type ManualClock, manualClock } from "@sluice/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { traces } from "../src/acts.ts";
import { Company, type Join } from "../src/company.ts";
import { compareSides, type Side, standings } from "../src/compare.ts";
import { compositions } from "../src/composition.ts";
import { asOne } from "../src/lone.ts";
import { operationsOf } from "../src/operations.ts";

const RUNS = 150;
const KEY = "key-0";
const TIMEOUT_MS = 120_000;

/** Hands every composition over to `claim` in the state in which random traffic has left it. */
async function afterTraffic(claim: (company: Company, clock: ManualClock) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(compositions, traces, async (composition, trace) => {
    const clock = manualClock(START_MS);
    const company = new Company(composition, memoryStore({ clock }));
    for (const operation of operationsOf(composition, trace)) {
      if (operation.do === "wait") clock.advance(operation.ms);
      await company.perform(operation);
    }
    await claim(company, clock);
  });
  await check(property, RUNS);
}

/** What a composite answers, told by its limits in one order whatever theirs is: of equals the same one decides. */
function inOneOrder(company: Company): Side {
  return {
    limits: company.limits,
    async perform(operation) {
      const decision = await company.perform(operation);
      if (decision === undefined) return undefined;
      const byName = Object.values(decision.limits).sort((one, other) => (one.name < other.name ? -1 : 1));
      const ordered = asOne(byName);
      expect(weightOf(decision)).toEqual(weightOf(ordered));
      return ordered;
    },
  };
}

/** By what one limit decides and not another. */
function weightOf({ allowed, retryAfterMs, remaining, cost, delayMs }: CompositeDecision) {
  const callsLeft = cost === 0 ? remaining : Math.floor(remaining / cost);
  return allowed ? { callsLeft, delayMs } : { retryAfterMs };
}

/** Composites within composites: the last in one with what was made of all before it. */
const nested: Join = ([first, ...others]) =>
  others.reduce<ReturnType<Join>>(
    (inner, limiter) => compose([inner, compose([limiter])]),
    compose(first === undefined ? [] : [first]),
  );

describe("after any traffic", () => {
  it(
    "limits in another order answer alike, but for who decides among equals",
    async () => {
      const operations = await compareSides(
        (composition, clock) => ({
          one: inOneOrder(new Company(composition, memoryStore({ clock }))),
          other: inOneOrder(new Company([...composition].reverse(), memoryStore({ clock }))),
        }),
        { runs: RUNS, look: "at the end" },
      );
      expect(operations).toBeGreaterThan(RUNS);
    },
    TIMEOUT_MS,
  );

  it(
    "composites within composites answer as one of all their limits",
    async () => {
      const operations = await compareSides(
        (composition, clock) => ({
          one: new Company(composition, memoryStore({ clock })),
          other: new Company(composition, memoryStore({ clock }), nested),
        }),
        { runs: RUNS, look: "at the end" },
      );
      expect(operations).toBeGreaterThan(RUNS);
    },
    TIMEOUT_MS,
  );

  it(
    "a refund of a call restores every limit, and another refund of it changes nothing",
    () =>
      afterTraffic(async (company) => {
        const before = await standings(company);
        const decision = await company.composite.consume(KEY, { cost: 1 });
        if (!decision.allowed) return;
        await company.composite.refund(decision);
        expect(await standings(company)).toEqual(before);
        await company.composite.refund(decision);
        expect(await standings(company)).toEqual(before);
      }),
    TIMEOUT_MS,
  );

  it(
    "calls at once of equal cost are each told another remaining",
    () =>
      afterTraffic(async ({ composite }) => {
        const calls = Array.from({ length: 6 }, () => composite.consume(KEY, { cost: 2 }));
        const granted = (await Promise.all(calls)).filter(({ allowed }) => allowed);
        expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(granted.length);
      }),
    TIMEOUT_MS,
  );

  it(
    "a call that is denied passes once the wait that it was told is over, and no sooner",
    async () => {
      let waits = 0;
      await afterTraffic(async ({ composite }, clock) => {
        const { allowed, retryAfterMs, decidedAtMs } = await composite.consume(KEY, { cost: 2 });
        if (allowed || retryAfterMs === Number.POSITIVE_INFINITY) return;
        waits += 1;
        clock.set(decidedAtMs + retryAfterMs - 1);
        expect(await composite.peek(KEY, { cost: 2 })).toMatchObject({ allowed: false });
        clock.set(decidedAtMs + retryAfterMs);
        expect(await composite.peek(KEY, { cost: 2 })).toMatchObject({ allowed: true });
      });
      expect(waits).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );
});
