import { describe, expect, it } from "vitest";
import type { Ask } from "../src/algorithm-definition.js";
import { packNumbers, unpackNumbers } from "../src/packing.js";
import {
  adjustArgument,
  consumeArgument,
  readKeyed,
  readOutcome,
  SERVER_CLOCK,
} from "../src/script-messages.js";
import type { Limit } from "../src/store.js";
import { tallyAlgorithm } from "./tiny-algorithm.js";

const limit: Limit = {
  name: "api",
  space: "api:tly.1",
  kernel: tallyAlgorithm,
  params: [10, 60_000],
  limit: 10,
  windowMs: 60_000,
  perKey: false,
  blockForMs: undefined,
};
const usual: Ask = { commit: true, cost: 3, least: 3, reserve: 0 };
/** A kernel whose state of two numbers tells three facts. */
const threeFacts = { ...tallyAlgorithm, facts: ["used", "started", "ends"] };
const numbers = (bytes: Uint8Array): number[] | undefined => unpackNumbers(bytes, bytes.length / 8);

describe("the argument of the consume script", () => {
  it("is only the cost and the parameters for the usual call", () => {
    expect(numbers(consumeArgument(limit, usual, SERVER_CLOCK))).toEqual([3, 10, 60_000]);
  });

  it("is packed once for the most usual call of a limit, of one unit", () => {
    const ask = { ...usual, cost: 1, least: 1 };
    const argument = consumeArgument(limit, ask, SERVER_CLOCK);
    expect(numbers(argument)).toEqual([1, 10, 60_000]);
    expect(consumeArgument(limit, ask, SERVER_CLOCK)).toBe(argument);
    expect(numbers(consumeArgument({ ...limit, params: [5, 1_000] }, ask, SERVER_CLOCK))).toEqual([
      1, 5, 1_000,
    ]);
  });

  it.each<[string, Partial<Ask>, number, number[]]>([
    ["looks only", { commit: false }, SERVER_CLOCK, [0, -1, 3, 3, 0]],
    ["will do with less", { least: 1 }, SERVER_CLOCK, [1, -1, 3, 1, 0]],
    ["reserves", { reserve: 2 }, SERVER_CLOCK, [1, -1, 3, 3, 2]],
    ["has a clock of its own", {}, 1_234, [1, 1_234, 3, 3, 0]],
  ])("says everything for a call that %s", (_, differs, clockMs, head) => {
    expect(numbers(consumeArgument(limit, { ...usual, ...differs }, clockMs))).toEqual([...head, 10, 60_000]);
  });
});

describe("the argument of the adjust script", () => {
  it("says the change and the facts that the grant left behind", () => {
    const change = { delta: -3, granted: [7, 1_000] };
    expect(numbers(adjustArgument(limit, change, SERVER_CLOCK))).toEqual([-1, -3, 10, 60_000, 7, 1_000]);
  });

  it("says -1 for each of them where nothing was granted", () => {
    const change = { delta: 3, granted: undefined };
    expect(numbers(adjustArgument(limit, change, 1_234))).toEqual([1_234, 3, 10, 60_000, -1, -1]);
    const other = { ...limit, kernel: threeFacts };
    expect(numbers(adjustArgument(other, change, 1_234))).toEqual([1_234, 3, 10, 60_000, -1, -1, -1]);
  });
});

describe("a reply", () => {
  const dated = { ...tallyAlgorithm, dated: 1 };

  it("says what was taken, when, and the facts that followed", () => {
    const reply = packNumbers([-1, 1_234, 10, 1_000]);
    expect(readOutcome(tallyAlgorithm, 3, reply)).toEqual({ taken: -1, nowMs: 1_234, facts: [10, 1_000] });
    expect(readOutcome(dated, 3, reply)).toEqual({ taken: -1, nowMs: 1_234, facts: [10, 1_000] });
  });

  it("has as many facts as the kernel names, whatever the length of its state", () => {
    const reply = packNumbers([3, 1_234, 3, 1_000, 61_000]);
    expect(readOutcome(threeFacts, 3, reply)).toEqual({
      taken: 3,
      nowMs: 1_234,
      facts: [3, 1_000, 61_000],
    });
    expect(readOutcome(tallyAlgorithm, 3, reply)).toBeUndefined();
  });

  it("of the facts alone says that the whole cost was taken at their date, where one of them is that", () => {
    const reply = packNumbers([3, 1_234]);
    expect(readOutcome(dated, 3, reply)).toEqual({ taken: 3, nowMs: 1_234, facts: [3, 1_234] });
    expect(readOutcome(tallyAlgorithm, 3, reply)).toBeUndefined();
  });

  it.each([
    null,
    undefined,
    1,
    "OK",
    "\0".repeat(32),
    [1, 1_234, 3, 1_000],
    new Uint8Array(0),
    new Uint8Array(31),
    new Uint8Array(33),
    packNumbers([1, 1_234, 0.5, 1_000]),
    packNumbers([1, Number.NaN, 3, 1_000]),
  ])("of another shape is none: %o", (reply) => {
    expect(readOutcome(tallyAlgorithm, 3, reply)).toBeUndefined();
  });
});

describe("a reply for a key that may have a policy", () => {
  const keyed: Limit = { ...limit, perKey: true };
  const dated: Limit = { ...keyed, kernel: { ...tallyAlgorithm, dated: 1 } };

  it("says what was taken, when, the parameters that decided, and the facts that followed", () => {
    const outcome = { taken: -1, nowMs: 1_234, facts: [4, 1_000], params: [4, 60_000] };
    for (const one of [keyed, dated]) {
      expect(readKeyed(one, packNumbers([-1, 1_234, 4, 60_000, 4, 1_000]))).toEqual(outcome);
    }
  });

  it("leaves out the time where the whole cost was granted and one of the facts is that", () => {
    const reply = packNumbers([3, 4, 60_000, 3, 1_234]);
    expect(readKeyed(dated, reply)).toEqual({
      taken: 3,
      nowMs: 1_234,
      facts: [3, 1_234],
      params: [4, 60_000],
    });
    expect(readKeyed(keyed, reply)).toBeUndefined();
  });

  it.each([
    null,
    "OK",
    new Uint8Array(0),
    packNumbers([3, 4, 60_000, 3]),
    packNumbers([3, 4, 60_000, 3, -1]),
  ])("of another shape is none: %o", (reply) => {
    expect(readKeyed(dated, reply)).toBeUndefined();
  });
});

it.each([[[-5, -5, -5, -5]], [[3, -1]]])(
  "no reply of a script is what has the right length and says %j",
  (said) => {
    expect(readOutcome({ ...tallyAlgorithm, dated: 1 }, 1, packNumbers(said))).toBeUndefined();
  },
);
