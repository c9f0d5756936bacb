import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SpentReceipts, spentReceipts } from "../src/spent-receipts.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a receipt", () => {
  it("is spent once", () => {
    const spent = new SpentReceipts();
    expect(spent.spend("here", 7, 1_000)).toBe(true);
    expect(spent.spend("here", 7, 1_000)).toBe(false);
  });

  it("is told apart by its number and by the process that issued it", () => {
    const spent = new SpentReceipts();
    expect(spent.spend("here", 7, 1_000)).toBe(true);
    expect(spent.spend("here", 8, 1_000)).toBe(true);
    expect(spent.spend("there", 7, 1_000)).toBe(true);
  });

  it("is good again once it is restored, and no other is", () => {
    const spent = new SpentReceipts();
    spent.spend("here", 7, 1_000);
    spent.spend("here", 8, 1_000);
    spent.restore("here", 7);
    expect(spent.spend("here", 8, 1_000)).toBe(false);
    expect(spent.spend("here", 7, 1_000)).toBe(true);
  });

  it("may be restored though it was never spent", () => {
    const spent = new SpentReceipts();
    spent.restore("here", 7);
    expect(spent.spend("here", 7, 1_000)).toBe(true);
  });

  it("is remembered for as long as it matters", () => {
    const spent = new SpentReceipts();
    spent.spend("here", 7, 1_000);
    vi.advanceTimersByTime(999);
    spent.spend("elsewhere", 0, 1_000);
    spent.spend("elsewhere", 1, 1_000);
    expect(spent.spend("here", 7, 1_000)).toBe(false);
  });

  it("is remembered no shorter for one after it that lapses sooner", () => {
    const spent = new SpentReceipts();
    spent.spend("here", 7, 10_000);
    spent.spend("here", 8, 1);
    vi.advanceTimersByTime(5_000);
    spent.spend("elsewhere", 0, 1_000);
    expect(spent.spend("here", 7, 1_000)).toBe(false);
  });

  it("is forgotten once it has lapsed, in the course of later calls", () => {
    const spent = new SpentReceipts();
    spent.spend("here", 7, 1_000);
    vi.advanceTimersByTime(1_000);
    for (let serial = 0; serial < 4; serial++) spent.spend("elsewhere", serial, 1_000);
    expect(spent.spend("here", 7, 1_000)).toBe(true);
  });
});

it("answers as a plain set would, whatever the numbers", () => {
  const serial = fc.oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 1_000, max: 1_050 }),
    fc.maxSafeNat(),
  );
  const step = fc.record({ issuer: fc.constantFrom("a", "b", "a.1"), serial, restore: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const spent = new SpentReceipts();
      const model = new Set<string>();
      for (const { issuer, serial, restore } of steps) {
        const id = `${issuer}/${serial}`;
        if (restore) {
          spent.restore(issuer, serial);
          model.delete(id);
        } else {
          expect(spent.spend(issuer, serial, 1_000)).toBe(!model.has(id));
          model.add(id);
        }
      }
    }),
  );
});

it("forgets as fast as new receipts come, so that a steady stream takes a steady amount of memory", () => {
  const spent = new SpentReceipts();
  const farApart = 10_000;
  for (let i = 0; i < 5_000; i++) {
    spent.spend("here", i * farApart, 100);
    vi.advanceTimersByTime(1);
  }
  expect(spent.spend("here", 4_950 * farApart, 100)).toBe(false);
  expect(spent.spend("here", 4_500 * farApart, 100)).toBe(true);
});

it("is one for the process", () => {
  expect(spentReceipts()).toBe(spentReceipts());
});
