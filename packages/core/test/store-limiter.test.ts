import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Decision } from "../src/decision.js";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { InvalidCostError, InvalidKeyError } from "../src/errors.js";
import { memoryStore } from "../src/memory-store.js";
import { redisStore } from "../src/redis-store.js";
import type { Store } from "../src/store.js";
import { faultyConnection, gate } from "./faulty-connection.js";
import { connectResp, startRedis } from "./redis.js";
import { useStores } from "./stores.js";
import { thenable } from "./thenable.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";

const remainingOf = (decisions: readonly Decision[]): number[] => decisions.map(({ remaining }) => remaining);

describe.each(await useStores())("a limiter on $kind", ({ make }) => {
  function limiterOf(limit: number) {
    const { store, clock } = make();
    return { clock, limiter: tally({ name: "api", limit, window: 1_000, store }) };
  }

  describe("consume", () => {
    it("leaves limit - 1 after the first call, and allows the last with nothing remaining", async () => {
      const { limiter } = limiterOf(3);
      const decisions = [await limiter.consume("a"), await limiter.consume("a"), await limiter.consume("a")];
      expect(remainingOf(decisions)).toEqual([2, 1, 0]);
      expect(decisions[2]).toMatchObject({ allowed: true, resetAfterMs: 1_000 });
      expect(await limiter.consume("a")).toMatchObject({ allowed: false, reason: "limited" });
    });

    it("promises the first millisecond at which the same call passes", async () => {
      const { limiter, clock } = limiterOf(1);
      await limiter.consume("a");
      clock.advance(300);
      const { retryAfterMs } = await limiter.consume("a");
      clock.advance(retryAfterMs - 1);
      expect(await limiter.consume("a")).toMatchObject({ allowed: false, retryAfterMs: 1 });
      clock.advance(1);
      expect(await limiter.consume("a")).toMatchObject({ allowed: true, decidedAtMs: 1_001_000 });
    });

    it("counts each key for itself", async () => {
      const { limiter } = limiterOf(1);
      await limiter.consume("u1");
      expect(await limiter.consume("u10")).toMatchObject({ allowed: true });
      expect(await limiter.consume(["u1", "0"])).toMatchObject({ allowed: true });
      expect(await limiter.consume(["u1"])).toMatchObject({ allowed: false });
    });

    it("takes as many units as there are, if there are at least so many", async () => {
      const { limiter } = limiterOf(10);
      await limiter.consume("a", { cost: 7 });
      expect(await limiter.consume("a", { cost: 5, atLeast: 4 })).toMatchObject({
        allowed: false,
        taken: 0,
        cost: 5,
      });
      expect(await limiter.consume("a", { cost: 5, atLeast: 2 })).toMatchObject({
        allowed: true,
        taken: 3,
        cost: 5,
      });
    });

    it("leaves behind what it is told to reserve, which `remaining` ignores", async () => {
      const { limiter } = limiterOf(10);
      expect(await limiter.consume("a", { cost: 6, reserve: 4 })).toMatchObject({
        allowed: true,
        remaining: 4,
      });
      expect(await limiter.consume("a", { reserve: 4 })).toMatchObject({ allowed: false, remaining: 4 });
      expect(await limiter.consume("a", { reserve: 3 })).toMatchObject({ allowed: true, remaining: 3 });
    });

    it("of cost 0 asks whether the limit is kept, and changes nothing", async () => {
      const { limiter } = limiterOf(1);
      expect(await limiter.consume("a", { cost: 0 })).toMatchObject({
        allowed: true,
        remaining: 1,
        taken: 0,
        receipt: "",
      });
      await limiter.consume("a");
      expect(await limiter.consume("a", { cost: 0 })).toMatchObject({ allowed: true, remaining: 0 });
    });

    it("denies everything under a limit of 0, for ever", async () => {
      const { limiter } = limiterOf(0);
      for (const cost of [0, 1, 2]) {
        expect(await limiter.consume("a", { cost, atLeast: 0 })).toMatchObject({
          allowed: false,
          reason: "never",
          remaining: 0,
          retryAfterMs: Number.POSITIVE_INFINITY,
        });
      }
    });

    it("grants a thousand callers at once what it would grant one in sequence", async () => {
      const { limiter } = limiterOf(5);
      const decisions = await Promise.all(Array.from({ length: 1_000 }, () => limiter.consume("a")));
      const granted = decisions.filter(({ allowed }) => allowed);
      expect(remainingOf(granted).sort()).toEqual([0, 1, 2, 3, 4]);
    });

    it("judges each of several callers at once by its own cost and reserve", async () => {
      const { limiter } = limiterOf(10);
      const decisions = await Promise.all([
        limiter.consume("a", { cost: 4 }),
        limiter.consume("a", { cost: 5, reserve: 2 }),
        limiter.consume("a", { cost: 7 }),
        limiter.consume("a", { cost: 4, reserve: 2 }),
        limiter.consume("a", { cost: 2 }),
        limiter.consume("a", { cost: 1 }),
      ]);
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, false, true, true, false]);
    });
  });

  describe("peek", () => {
    it("answers as consume would, and changes nothing", async () => {
      const { limiter } = limiterOf(2);
      await limiter.consume("a");
      for (let i = 0; i < 3; i++) {
        expect(await limiter.peek("a")).toMatchObject({ allowed: true, remaining: 1, taken: 0, receipt: "" });
      }
      const foreseen = await limiter.peek("a", { cost: 2 });
      expect(await limiter.consume("a", { cost: 2 })).toEqual(foreseen);
      expect(foreseen).toMatchObject({ allowed: false, remaining: 1, retryAfterMs: 1_000 });
    });

    it("of an unused key finds the limit whole", async () => {
      const { limiter } = limiterOf(2);
      expect(await limiter.peek("a")).toMatchObject({ remaining: 2, resetAfterMs: 0 });
    });
  });

  describe("settle", () => {
    it("takes more, or gives back, until the decision has taken the actual cost", async () => {
      const { limiter } = limiterOf(10);
      const decision = await limiter.consume("a", { cost: 4 });
      const more = await limiter.settle(decision, 7);
      expect(more).toMatchObject({ allowed: true, cost: 7, taken: 7, remaining: 3 });
      const less = await limiter.settle(more, 1);
      expect(less).toMatchObject({ cost: 1, taken: 1, remaining: 9 });
      await limiter.refund(less);
      expect(await limiter.peek("a")).toMatchObject({ remaining: 10 });
    });

    it("may go beyond the limit: the excess is debt", async () => {
      const { limiter } = limiterOf(10);
      const settled = await limiter.settle(await limiter.consume("a"), 25);
      expect(settled).toMatchObject({ taken: 25, remaining: 0 });
      expect(await limiter.consume("a")).toMatchObject({ allowed: false, remaining: 0 });
      await limiter.settle(settled, 9);
      expect(await limiter.consume("a")).toMatchObject({ allowed: true, remaining: 0 });
    });

    it("into a debt that the algorithm cannot count is refused, changes nothing, and the receipt stays good", async () => {
      const careful = defineAlgorithm({
        ...tallyAlgorithm,
        lua: {
          ...tallyAlgorithm.lua,
          adjust: `if used + delta > 100 then refused = true else\n${tallyAlgorithm.lua.adjust}\nend`,
        },
        adjust(stored, nowMs, change, params) {
          const unchanged = tallyAlgorithm.adjust(stored, nowMs, { ...change, delta: 0 }, params);
          if (unchanged.state[0] + change.delta > 100) return { ...unchanged, refused: true };
          return tallyAlgorithm.adjust(stored, nowMs, change, params);
        },
      });
      const limiter = careful({ name: "api", limit: 10, window: 1_000, store: make().store });
      const decision = await limiter.consume("a", { cost: 2 });
      const refused = limiter.settle(decision, 101);
      await expect(refused).rejects.toThrow(InvalidCostError);
      await expect(refused).rejects.toThrow(
        'limiter "api": 99 units more would be a debt too large to be counted exactly',
      );
      expect(await limiter.peek("a")).toMatchObject({ remaining: 8 });
      const settled = await limiter.settle(decision, 100);
      expect(settled).toMatchObject({ taken: 100, remaining: 0 });
      await limiter.refund(settled);
      expect(await limiter.peek("a")).toMatchObject({ remaining: 10 });
    });

    it("of what took nothing charges each time, since it has no receipt", async () => {
      const { limiter } = limiterOf(10);
      const free = await limiter.consume("a", { cost: 0 });
      expect(await limiter.settle(free, 2)).toMatchObject({ taken: 2, remaining: 8 });
      expect(await limiter.settle(free, 3)).toMatchObject({ taken: 3, remaining: 5 });
    });

    it("to 0 gives everything back, and leaves no receipt", async () => {
      const { limiter } = limiterOf(10);
      const settled = await limiter.settle(await limiter.consume("a", { cost: 4 }), 0);
      expect(settled).toMatchObject({ taken: 0, receipt: "", remaining: 10 });
    });

    it("charges what was denied, where the work was done all the same", async () => {
      const { limiter } = limiterOf(1);
      const denied = await limiter.consume("a", { cost: 2 });
      expect(await limiter.settle(denied, 2)).toMatchObject({ taken: 2, remaining: 0 });
    });

    it("of the same decision a second time changes nothing", async () => {
      const { limiter } = limiterOf(10);
      const decision = await limiter.consume("a", { cost: 4 });
      await limiter.settle(decision, 2);
      for (const cost of [0, 4, 9]) {
        expect(await limiter.settle(decision, cost)).toMatchObject({ remaining: 8, taken: 4, receipt: "" });
      }
      expect(await limiter.peek("a")).toMatchObject({ remaining: 8 });
    });

    it("of what a second settlement returned gives back nothing that others took, and takes nothing", async () => {
      const { limiter } = limiterOf(10);
      const decision = await limiter.consume("a", { cost: 4 });
      await limiter.consume("a", { cost: 4 });
      await limiter.refund(decision);
      const again = await limiter.settle(decision, 4);
      for (const cost of [0, 4, 9]) {
        expect(await limiter.settle(again, cost)).toMatchObject({ remaining: 6, taken: 4, receipt: "" });
      }
      await limiter.refund(again);
      expect(await limiter.peek("a")).toMatchObject({ remaining: 6 });
    });

    it("leaves the work where it is in the queue: the delay that is left of the decision's", async () => {
      const { store, clock } = make();
      const report: typeof tallyAlgorithm.report = (...told) => ({
        ...tallyAlgorithm.report(...told),
        delayMs: 500,
      });
      const queue = defineAlgorithm({ ...tallyAlgorithm, report });
      const limiter = queue({ name: "queue", limit: 10, window: 1_000, store });
      const decision = await limiter.consume("a");
      clock.advance(200);
      const settled = await limiter.settle(decision, 3);
      expect([decision.delayMs, settled.delayMs]).toEqual([500, 300]);
      clock.advance(400);
      expect(await limiter.settle(settled, 2)).toMatchObject({ delayMs: 0 });
    });

    it.each([0.5, -1, Number.NaN])("to %d is refused, and the receipt stays good", async (cost) => {
      const { limiter } = limiterOf(10);
      const decision = await limiter.consume("a", { cost: 4 });
      await expect(limiter.settle(decision, cost)).rejects.toThrow(InvalidCostError);
      await limiter.refund(decision);
      expect(await limiter.peek("a")).toMatchObject({ remaining: 10 });
    });
  });

  describe("reset", () => {
    it("gives a key its whole limit, and leaves every other alone", async () => {
      const { limiter } = limiterOf(1);
      for (const key of ["u1", "u10", ["u1", "0"]]) await limiter.consume(key);
      await limiter.reset("u1");
      expect(await limiter.peek("u1")).toMatchObject({ remaining: 1 });
      expect(await limiter.peek("u10")).toMatchObject({ remaining: 0 });
      expect(await limiter.peek(["u1", "0"])).toMatchObject({ remaining: 0 });
    });

    it("of a key that was never used does nothing", async () => {
      await expect(limiterOf(1).limiter.reset("a")).resolves.toBeUndefined();
    });
  });

  it("shares no count with a limiter of another name on the same store", async () => {
    const { store } = make();
    await tally({ name: "api", limit: 1, window: 1_000, store }).consume("a");
    expect(await tally({ name: "api2", limit: 1, window: 500, store }).consume("a")).toMatchObject({
      allowed: true,
    });
  });

  it("refuses keys and costs that say nothing, and touches nothing", async () => {
    const { limiter } = limiterOf(3);
    await expect(limiter.consume("")).rejects.toThrow(InvalidKeyError);
    await expect(limiter.peek([])).rejects.toThrow(InvalidKeyError);
    await expect(limiter.reset("a".repeat(20_000))).rejects.toThrow(InvalidKeyError);
    await expect(limiter.consume("a", { cost: 0.5 })).rejects.toThrow(InvalidCostError);
    await expect(limiter.peek("a", { reserve: -1 })).rejects.toThrow(InvalidCostError);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 3 });
  });

  it("rejects at once where the signal is aborted already, with its reason, and touches nothing", async () => {
    const { limiter } = limiterOf(3);
    const reason = { why: "the user left" };
    const signal = AbortSignal.abort(reason);
    await expect(limiter.consume("a", { signal })).rejects.toBe(reason);
    await expect(limiter.peek("a", { signal })).rejects.toBe(reason);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 3 });
  });

  it("leaves no listener on a signal", async () => {
    const { limiter } = limiterOf(3);
    const { signal } = new AbortController();
    for (let i = 0; i < 5; i++) await limiter.consume("a", { signal });
    await limiter.peek("a", { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

it("takes from a store whatever can be awaited", async () => {
  const memory = memoryStore();
  const store = {
    ...memory,
    health: () => memory.health(),
    decideAll: (...told: Parameters<Store["decideAll"]>) =>
      thenable(Promise.resolve(memory.decideAll(...told))),
    decide: (...told: Parameters<Store["decide"]>) => thenable(Promise.resolve(memory.decide(...told))),
    adjust: (...told: Parameters<Store["adjust"]>) => thenable(Promise.resolve(memory.adjust(...told))),
    forget: (...told: Parameters<Store["forget"]>) => thenable(Promise.resolve(memory.forget(...told))),
  };
  // @ts-expect-error a store without types
  const limiter = tally({ name: "api", limit: 10, window: "1m", store });
  const { signal } = new AbortController();
  const decision = await limiter.consume("a", { cost: 4, signal });
  expect(decision).toMatchObject({ allowed: true, remaining: 6 });
  expect(await limiter.consume("a", { cost: 2 })).toMatchObject({ allowed: true, remaining: 4 });
  expect(await limiter.settle(decision, 3)).toMatchObject({ remaining: 5 });
  await limiter.reset("a");
  expect(await limiter.peek("a", { signal })).toMatchObject({ remaining: 10 });
});

describe("a signal that is aborted while Redis decides", () => {
  it("rejects at once with its reason, and what was granted is given back", async () => {
    await using redis = await startRedis();
    const connection = await connectResp(redis);
    const faulty = faultyConnection(connection);
    const limiter = tally({ name: "api", limit: 10, window: "1m", store: redisStore(faulty) });
    await limiter.consume("a");

    const { opened, open } = gate();
    const counted = new Promise<void>((resolve) => {
      faulty.faults.push(async (pass) => {
        const reply = await pass();
        resolve();
        await opened;
        return reply;
      });
    });
    const controller = new AbortController();
    const consumed = limiter.consume("a", { cost: 4, signal: controller.signal });
    await counted;
    controller.abort("left");
    await expect(consumed).rejects.toBe("left");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(await limiter.peek("a")).toMatchObject({ remaining: 5 });
    open();
    await expect.poll(() => limiter.peek("a")).toMatchObject({ remaining: 9 });
    connection.close();
  });
});
