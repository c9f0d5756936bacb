import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ask, Kernel } from "../src/algorithm-definition.js";
import { batchArgument, readBatch } from "../src/batch-messages.js";
import { packNumbers } from "../src/packing.js";
import type { Limit, Question } from "../src/store.js";
import { limitOf } from "./limit-of.js";
import { tallyAlgorithm } from "./tiny-algorithm.js";

const HOUR_MS = 3_600_000;
const usual: Ask = { commit: true, cost: 1, least: 1, reserve: 0 };
const limit = limitOf("api", 10);
const other: Limit = { ...limitOf("other", 20), kernel: { ...tallyAlgorithm, tag: "oth" } };
const KERNELS: readonly Kernel[] = [limit.kernel, other.kernel];
const question = (of: Limit, ask: Partial<Ask> = {}, key = "a"): Question => ({
  limit: of,
  key,
  ask: { ...usual, ...ask },
});
const bytes = (...parts: readonly (Uint8Array | number | string)[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "number" ? Uint8Array.of(part) : typeof part === "string" ? Buffer.from(part) : part,
    ),
  );

describe("the argument of the batch script", () => {
  const argument = (...questions: Question[]) => Buffer.from(batchArgument(questions, KERNELS, 1_234));
  const clock = packNumbers([1_234]);

  it("says a call once with how many there are of it, where they differ in their keys alone", () => {
    const calls = ["a", "b", "a"].map((key) => question(limit, {}, key));
    expect(argument(...calls)).toEqual(bytes(clock, 1 + 128, 3, packNumbers([1, 10, HOUR_MS])));
  });

  it("says of the usual call the cost and the parameters, and by a byte of which algorithm it is", () => {
    expect(argument(question(limit, { cost: 7, least: 7 }), question(other))).toEqual(
      bytes(
        clock,
        bytes(1 + 128, 1, packNumbers([7, 10, HOUR_MS])),
        bytes(2 + 128, 1, packNumbers([1, 20, HOUR_MS])),
      ),
    );
  });

  it.each<[string, Partial<Ask>, number[]]>([
    ["looks only", { commit: false }, [1, 0, 1, 0]],
    ["will do with less", { cost: 3 }, [3, 1, 1, 0]],
    ["reserves", { reserve: 2 }, [1, 1, 1, 2]],
    ["costs nothing, but would do with less", { cost: 0, least: 1 }, [0, 1, 1, 0]],
  ])("says everything of a call that %s", (_, differs, head) => {
    expect(argument(question(limit, differs), question(limit, differs, "b"))).toEqual(
      bytes(clock, 1, 2, packNumbers([...head, 10, HOUR_MS])),
    );
  });

  it.each<[string, Question]>([
    ["cost", question(limit, { cost: 2, least: 2 })],
    ["mode", question(limit, { commit: false })],
    ["least", question(limit, { cost: 2 })],
    ["reserve", question(limit, { reserve: 1 })],
    ["limit, be it of the same policy", question({ ...limit })],
    ["algorithm", question(other)],
  ])("begins another run where calls differ in their %s", (_, differs) => {
    const counts = runsOf(batchArgument([question(limit), differs, question(limit)], KERNELS, -1), 3);
    expect(counts).toEqual([1, 1, 1]);
  });

  it("begins another run after as many as a byte can count", () => {
    const alike = (count: number) => Array.from({ length: count }, (_, i) => question(limit, {}, String(i)));
    expect(runsOf(batchArgument(alike(255), KERNELS, -1), 255)).toEqual([255]);
    expect(runsOf(batchArgument(alike(256), KERNELS, -1), 256)).toEqual([255, 1]);
    expect(runsOf(batchArgument(alike(600), KERNELS, -1), 600)).toEqual([255, 255, 90]);
  });

  it("says to a reader what was asked, whatever that is", () => {
    const someUnits = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.maxSafeNat());
    const asks = fc.record({ commit: fc.boolean(), cost: someUnits, least: someUnits, reserve: someUnits });
    const questions = fc.array(
      fc.record({ limit: fc.constantFrom(limit, other), ask: fc.oneof(fc.constant(usual), asks) }),
      { minLength: 1, maxLength: 300, size: "max" },
    );
    fc.assert(
      fc.property(questions, fc.constantFrom(-1, 0, 1_735_689_637_123), (asked, clockMs) => {
        const argued = batchArgument(
          asked.map((one) => ({ ...one, key: "a" })),
          KERNELS,
          clockMs,
        );
        const read = callsIn(argued, asked.length);
        expect(read.clockMs).toBe(clockMs);
        expect(read.calls).toEqual(
          asked.map(({ limit: { kernel, params }, ask }) => ({ kernel, ask, params })),
        );
      }),
    );
  });
});

/** The argument as the script reads it. */
function callsIn(argument: Uint8Array, calls: number) {
  const view = new DataView(argument.buffer, argument.byteOffset, argument.length);
  let offset = 0;
  const number = (): number => {
    offset += 8;
    return view.getFloat64(offset - 8, true);
  };
  const byte = (): number => view.getUint8(offset++);
  const clockMs = number();
  const read: { kernel: Kernel | undefined; ask: Ask; params: number[] }[] = [];
  const counts: number[] = [];
  while (read.length < calls) {
    const [code, count, cost] = [byte(), byte(), number()];
    const ask =
      code > 128
        ? { commit: true, cost, least: cost, reserve: 0 }
        : { commit: number() === 1, cost, least: number(), reserve: number() };
    const params = [number(), number()];
    for (let i = 0; i < count; i++) read.push({ kernel: KERNELS[(code % 128) - 1], ask, params });
    counts.push(count);
  }
  expect([read.length, offset]).toEqual([calls, argument.length]);
  return { clockMs, calls: read, counts };
}

function runsOf(argument: Uint8Array, calls: number): number[] {
  return callsIn(argument, calls).counts;
}

describe("a reply of the batch script", () => {
  const dated: Limit = { ...limit, kernel: { ...tallyAlgorithm, dated: 1 } };
  const two = [question(limit), question(limit)];
  const whole = (...numbers: number[]) => packNumbers(numbers);
  const error = (text: string) => bytes(Buffer.byteLength(text) % 256, Buffer.byteLength(text) >> 8, text);

  it("answers every call, in order", () => {
    const reply = bytes("ww", whole(1, 1_234, 1, 1_000), whole(-1, 1_234, 10, 1_000));
    expect(readBatch(two, reply)).toEqual([
      { taken: 1, nowMs: 1_234, facts: [1, 1_000] },
      { taken: -1, nowMs: 1_234, facts: [10, 1_000] },
    ]);
  });

  it("says by facts alone that the whole cost was taken at their date, where one of them is that", () => {
    const asked = [question(dated, { cost: 3, least: 1 }), question(limit)];
    const reply = bytes("bw", whole(3, 1_234), whole(1, 1_234, 1, 1_000));
    expect(readBatch(asked, reply)).toEqual([
      { taken: 3, nowMs: 1_234, facts: [3, 1_234] },
      { taken: 1, nowMs: 1_234, facts: [1, 1_000] },
    ]);
    expect(readBatch(two, reply)).toBeUndefined();
  });

  it.each(["WRONGTYPE Operation against a key", "", "Größe \u{1f600}", "e".repeat(65_535)])(
    "has an error of one call alone in that one's place",
    (text) => {
      const reply = bytes("ewe", error(text), whole(1, 1_234, 1, 1_000), error("ERR other"));
      expect(readBatch([...two, question(limit)], reply)).toEqual([
        new Error(text),
        { taken: 1, nowMs: 1_234, facts: [1, 1_000] },
        new Error("ERR other"),
      ]);
    },
  );

  it("is read where it lies in a buffer of more", () => {
    const reply = bytes("ww", whole(1, 1_234, 1, 1_000), whole(1, 1_234, 2, 1_000));
    const within = bytes("more", reply, "more").subarray(4, 4 + reply.length);
    expect(readBatch(two, within)).toEqual(readBatch(two, reply));
  });

  const good = bytes("we", whole(1, 1_234, 1, 1_000), error("ERR"));

  it("is none where it is cut short anywhere, or goes on", () => {
    expect(readBatch(two, good)).toHaveLength(2);
    for (let length = 0; length < good.length; length++) {
      expect(readBatch(two, good.subarray(0, length))).toBeUndefined();
    }
    expect(readBatch(two, bytes(good, 0))).toBeUndefined();
    expect(readBatch([question(limit)], good)).toBeUndefined();
    expect(readBatch([...two, question(limit)], good)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["undefined", undefined],
    ["a number", 2],
    ["OK", "OK"],
    ["a text of the right length", Buffer.from(good).toString("latin1")],
    ["a list", [1, 1_234, 1, 1_000]],
    ["no bytes", new Uint8Array(0)],
    ["an unknown kind", bytes("wx", whole(1, 1_234, 1, 1_000), whole(1, 1_234, 1, 1_000))],
    ["zeros", new Uint8Array(2 + 64)],
    ["part of a unit", bytes("we", whole(0.5, 1_234, 1, 1_000), error("ERR"))],
    ["no number", bytes("we", whole(1, Number.NaN, 1, 1_000), error("ERR"))],
    ["an endless number", bytes("we", whole(1, 1_234, Number.POSITIVE_INFINITY, 1_000), error("ERR"))],
    ["a number past the exact ones", bytes("we", whole(1, 1_234, 2 ** 53, 1_000), error("ERR"))],
    ["a number below all that scripts reply", bytes("we", whole(-2, 1_234, 1, 1_000), error("ERR"))],
    ["an error longer than itself", bytes("we", whole(1, 1_234, 1, 1_000), 9, 0, "ERR")],
    ["an error without its length", bytes("we", whole(1, 1_234, 1, 1_000), 9)],
  ])("is none where it is %s", (_, reply) => {
    expect(readBatch(two, reply)).toBeUndefined();
  });

  it("is none where facts alone say -1", () => {
    const asked = [question(dated)];
    expect(readBatch(asked, bytes("b", whole(1, 1_234)))).toHaveLength(1);
    expect(readBatch(asked, bytes("b", whole(-1, 1_234)))).toBeUndefined();
  });

  it("never makes the reader throw, whatever the bytes", () => {
    const starts = fc.constantFrom("", "w", "b", "e", "ww", "ee", "we", "bb");
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 80, size: "max" }), (start, rest) => {
        const answers = readBatch(two, bytes(start, rest));
        if (answers !== undefined) expect(answers).toHaveLength(2);
      }),
    );
  });
});
