import { afterEach, describe, expect, it, vi } from "vitest";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { InvalidKeyError, StoreError, StoreTimeoutError } from "../src/errors.js";
import { memoryStore } from "../src/memory-store.js";
import { readReceipt, writeReceipt } from "../src/receipt.js";
import { redisStore } from "../src/redis-store.js";
import { spentReceipts } from "../src/spent-receipts.js";
import type { Store } from "../src/store.js";
import { manualClock } from "../src/testing.js";
import { type Fault, faultyConnection, gate, refused, replyLost } from "./faulty-connection.js";
import { useRedis } from "./redis.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";

const { connection } = await useRedis();

const onMemory = () => tally({ name: "api", limit: 10, window: "1m", store: memoryStore() });

/** A limiter on Redis, and the connection that it uses. */
function onRedis(timeoutMs = 1_000) {
  const faulty = faultyConnection(connection);
  const store = redisStore(faulty, { timeoutMs });
  return { faults: faulty.faults, limiter: tally({ name: "api", limit: 10, window: "1m", store }) };
}

describe("a receipt", () => {
  it("says what was taken and the facts that the grant left behind", () => {
    const receipt = readReceipt("api", "tly", writeReceipt("tly", 3, [7, 2 ** 53 - 1, 0]), 3);
    expect(receipt).toMatchObject({ taken: 3, granted: [7, 2 ** 53 - 1, 0] });
  });

  it("has a number of its own, and the mark of the process", () => {
    const [one, other] = [
      readReceipt("api", "tly", writeReceipt("tly", 1, [5]), 1),
      readReceipt("api", "tly", writeReceipt("tly", 1, [5]), 1),
    ];
    expect(one.serial).not.toBe(other.serial);
    expect(one.issuer).toBe(other.issuer);
    expect(one.issuer).not.toBe("");
  });

  it("is numbered once for all copies of the package in a process", async () => {
    const own = readReceipt("api", "tly", writeReceipt("tly", 1, [5]), 1);
    vi.resetModules();
    const copy = await import("../src/receipt.js");
    const copied = copy.readReceipt("api", "tly", copy.writeReceipt("tly", 1, [5]), 1);
    expect(copied).toMatchObject({ issuer: own.issuer, serial: own.serial + 1 });
  });

  it.each([
    "x",
    "a.b.c.d.e",
    "a.0.1.5",
    "a.0.1.5.6.7",
    "a.0.0.5.6",
    "a.0.-1.5.6",
    "a.0.1.-5.6",
    "a.0.1.NaN.6",
    "a.0.1.9007199254740992.6",
    "a.0.1.5.6 or so",
    "....",
    "a.0.1..",
    ".0.1.5.6",
    "a.0x1.1.5.6",
    "a. 0.1.5.6",
  ])("is not %j, where there are two facts", (text) => {
    expect(() => readReceipt("api", "tly", text, 2)).toThrow(InvalidKeyError);
  });

  it("is refused with a message that names the limiter and the value", () => {
    expect(() => readReceipt("api", "tly", "x", 2)).toThrow(
      'limiter "api": the receipt must be one that this limiter gave, got "x"',
    );
  });
});

describe("a refund", () => {
  it("gives back what was taken", async () => {
    const limiter = onMemory();
    const decision = await limiter.consume("a", { cost: 4 });
    await limiter.consume("a");
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 9 });
  });

  it("of the same decision a second time gives back nothing", async () => {
    const limiter = onMemory();
    const decision = await limiter.consume("a", { cost: 4 });
    await limiter.consume("a", { cost: 4 });
    await limiter.refund(decision);
    await limiter.refund(decision);
    await limiter.refund(structuredClone(decision));
    expect(await limiter.peek("a")).toMatchObject({ remaining: 6 });
  });

  it("of the same decision by two at once gives back once", async () => {
    const { limiter } = onRedis();
    const decision = await limiter.consume("a", { cost: 4 });
    await limiter.consume("a", { cost: 4 });
    await Promise.all([limiter.refund(decision), limiter.refund(decision), limiter.refund(decision)]);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 6 });
  });

  it("and a settlement of the same decision do not add up", async () => {
    const limiter = onMemory();
    const decision = await limiter.consume("a", { cost: 4 });
    await limiter.consume("a", { cost: 4 });
    await limiter.settle(decision, 3);
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 3 });
  });

  it.each([
    ["a denial", async () => onMemory().consume("a", { cost: 11 })],
    ["a peek", async () => onMemory().peek("a")],
    ["a cost of 0", async () => onMemory().consume("a", { cost: 0 })],
  ])("of %s, which took nothing, gives back nothing", async (_, decide) => {
    const decision = await decide();
    expect(decision).toMatchObject({ taken: 0, receipt: "" });
    const limiter = onMemory();
    await limiter.consume("a");
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 9 });
  });

  it("of another limiter's decision is refused", async () => {
    const decision = await tally({ name: "other", limit: 5, window: "1m", store: memoryStore() }).consume(
      "a",
    );
    await expect(onMemory().refund(decision)).rejects.toThrow(InvalidKeyError);
    await expect(onMemory().refund(decision)).rejects.toThrow(
      'limiter "api": a decision of this limiter was expected, got one of "other"',
    );
    await expect(onMemory().settle(decision, 1)).rejects.toThrow(InvalidKeyError);
  });

  it.each([
    undefined,
    null,
    "receipt",
    5,
    {},
    { name: "api" },
    { name: "api", key: "a", receipt: "", taken: "1" },
  ])("of %j, which is no decision, is refused", async (value) => {
    // @ts-expect-error a caller without types
    await expect(onMemory().refund(value)).rejects.toThrow(InvalidKeyError);
    // @ts-expect-error a caller without types
    await expect(onMemory().settle(value, 1)).rejects.toThrow(InvalidKeyError);
  });

  it.each([{ receipt: "forged" }, { receipt: "a.0.1.5" }, { key: "" }, { key: "a}{b" }, { taken: -1 }])(
    "of a decision with %j is refused, and nothing is touched",
    async (forged) => {
      const limiter = onMemory();
      const decision = await limiter.consume("a");
      await expect(limiter.refund({ ...decision, ...forged })).rejects.toThrow(InvalidKeyError);
      expect(await limiter.peek("a")).toMatchObject({ remaining: 9 });
    },
  );
});

describe("a receipt whose refund failed", () => {
  it("is good again where the store refused it", async () => {
    const { limiter, faults } = onRedis();
    const decision = await limiter.consume("a", { cost: 4 });
    faults.push(refused);
    const failed = limiter.refund(decision);
    await expect(failed).rejects.toThrow(StoreError);
    await expect(failed).rejects.toMatchObject({ mayHaveCounted: false });
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 10 });
  });

  it.each<[string, Fault]>([
    ["the reply was lost", replyLost],
    ["the reply made no sense", async (pass) => void (await pass())],
  ])("stays spent where %s, since it may have counted", async (_, fault) => {
    const { limiter, faults } = onRedis();
    const decision = await limiter.consume("a", { cost: 4 });
    await limiter.consume("a", { cost: 4 });
    faults.push(fault);
    await expect(limiter.refund(decision)).rejects.toMatchObject({ mayHaveCounted: true });
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 6 });
  });

  it("stays spent where the store is of another copy of this package, whose errors are of other classes", async () => {
    const memory = memoryStore();
    const store: Store = {
      isLocal: true,
      multiKey: true,
      decide: (...asked) => memory.decide(...asked),
      decideAll: (...asked) => memory.decideAll(...asked),
      forget: (...asked) => memory.forget(...asked),
      block: (...asked) => memory.block(...asked),
      setPolicy: (...asked) => memory.setPolicy(...asked),
      getPolicy: (...asked) => memory.getPolicy(...asked),
      health: () => memory.health(),
      async adjust(...asked) {
        await memory.adjust(...asked);
        throw Object.assign(new Error("no answer"), {
          code: "ERR_SLUICE_STORE_TIMEOUT",
          mayHaveCounted: true,
        });
      },
    };
    const limiter = tally({ name: "api", limit: 10, window: "1m", store });
    const decision = await limiter.consume("a", { cost: 3 });
    await limiter.consume("a", { cost: 6 });
    await expect(limiter.refund(decision)).rejects.toThrow("no answer");
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 4 });
  });

  it("stays spent where the store did not answer in time", async () => {
    const { limiter, faults } = onRedis(50);
    const decision = await limiter.consume("a", { cost: 4 });
    await limiter.consume("a", { cost: 4 });
    const { opened, open } = gate();
    faults.push((pass) => pass().then(() => opened));
    await expect(limiter.refund(decision)).rejects.toThrow(StoreTimeoutError);
    open();
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 6 });
  });
});

describe("a spent receipt", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is remembered for as long as its grant matters in the present measure", async () => {
    // as where a new policy counts in units a million times smaller, each of which lasts a millisecond
    const remeasured: typeof tallyAlgorithm = {
      ...tallyAlgorithm,
      report: ([used = 0], ...rest) => ({ ...tallyAlgorithm.report([used, 0], ...rest), resetAfterMs: used }),
      regrant: ([used = 0, startedMs = 0]) => [used * 1_000_000, startedMs],
    };
    vi.useFakeTimers({ toFake: ["performance"] });
    const store = memoryStore({ clock: manualClock(1_000_000) });
    const limiter = defineAlgorithm(remeasured)({ name: "api", limit: 10, window: "1h", store });
    const decision = await limiter.consume("a");
    await limiter.consume("a", { cost: 4 });
    await limiter.refund(decision);
    vi.advanceTimersByTime(600_000);
    for (let serial = 0; serial < 4; serial++) spentReceipts().spend("elsewhere", serial, 1);
    await limiter.refund(decision);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 6 });
  });
});
