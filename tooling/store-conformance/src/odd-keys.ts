import type { Key, Limiter } from "@sluice/core";
import { expect } from "vitest";
import type { Check, Topic } from "./check.ts";
import { KEY } from "./usage.ts";

const MINUTE_MS = 60_000;
const LONGEST = 16_384;

/** Keys that are not alike, however alike they look to a store or a client. */
const ODD_KEYS: readonly Key[] = [
  "u1",
  "u10",
  "u",
  "U1",
  ["u1", "0"],
  ["u", "10"],
  "u1|0",
  "u1 ",
  " u1",
  "{u1}",
  "u1}",
  "{",
  "{}",
  "%7Bu1%7D",
  "u1*",
  "u?",
  "[a-z]1",
  "a\r\nb",
  "a\nb",
  "a\0b",
  "a\0",
  "\0",
  '"a"',
  "日本語",
  "é",
  "e\u0301",
  "😀",
  "\ud83d",
  "\ude00",
  "\ufffd",
  "\ufeff",
  "__proto__",
  "constructor",
  "x".repeat(LONGEST),
  "x".repeat(LONGEST - 1),
];

const apart: Check = {
  title:
    "counts odd keys apart: braces, line ends, emoji, halves of them, the longest, beginnings of one another",
  ofConnections: "for one",
  async run(bench) {
    const limiter = bench.limiter(ODD_KEYS.length, MINUTE_MS);
    await Promise.all(ODD_KEYS.map((key, index) => limiter.consume(key, { cost: index + 1 })));
    const expected = ODD_KEYS.map((_, index) => index + 1);
    expect(await usedOf(limiter)).toEqual(expected);
    const isForgotten = (index: number): boolean => index % 2 === 0;
    await Promise.all(ODD_KEYS.filter((_, index) => isForgotten(index)).map((key) => limiter.reset(key)));
    expect(await usedOf(limiter)).toEqual(expected.map((units, index) => (isForgotten(index) ? 0 : units)));
  },
};

const whole: Check = {
  title: "corrects a grant to an odd key by its Decision alone",
  ofConnections: "for one",
  async run(bench) {
    const limiter = bench.limiter(10, MINUTE_MS);
    const decisions = await Promise.all(ODD_KEYS.map((key) => limiter.consume(key)));
    const settled = await Promise.all(decisions.map((decision) => limiter.settle(decision, 4)));
    expect(await usedOf(limiter)).toEqual(ODD_KEYS.map(() => 4));
    await Promise.all(settled.map((decision) => limiter.refund(decision)));
    expect(await usedOf(limiter)).toEqual(ODD_KEYS.map(() => 0));
  },
};

const names: Check = {
  title: "counts two limits apart, though they have a key in common and their names begin alike",
  async run(bench) {
    const limiters = ["api", "api2", "ap", "API"].map((name, index) =>
      bench.limiter(10 + index, MINUTE_MS * (index + 1), { name }),
    );
    const remaining = limiters.map(async (limiter, index) => {
      await limiter.consume(KEY, { cost: index + 1 });
      return (await limiter.peek(KEY)).remaining;
    });
    expect(await Promise.all(remaining)).toEqual([9, 9, 9, 9]);
    await limiters[0]?.reset(KEY);
    expect((await Promise.all(limiters.map((limiter) => limiter.peek(KEY)))).map(usedBy)).toEqual([
      0, 2, 3, 4,
    ]);
  },
};

const prefixes: Check = {
  title: "counts apart what is kept under prefixes that begin alike",
  ofConnections: "for one",
  async run(bench) {
    const [one, longer] = [`${bench.prefix}-one`, `${bench.prefix}-one:more`].map((prefix) =>
      bench.limiter(10, MINUTE_MS, { store: bench.open(prefix, bench.clock) }),
    );
    await one?.consume(KEY, { cost: 4 });
    expect(await longer?.consume(KEY)).toMatchObject({ remaining: 9 });
    await longer?.reset(KEY);
    expect(await one?.peek(KEY)).toMatchObject({ remaining: 6 });
  },
};

async function usedOf(limiter: Limiter): Promise<number[]> {
  return (await Promise.all(ODD_KEYS.map((key) => limiter.peek(key)))).map(usedBy);
}

function usedBy({ limit, remaining }: { limit: number; remaining: number }): number {
  return limit - remaining;
}

/** No user can be taken for another, and no limit for another. */
export const oddKeys: Topic = { title: "odd keys", checks: [apart, whole, names, prefixes] };
