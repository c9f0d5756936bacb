import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { compose } from "../src/compose.js";
import { redisStore } from "../src/redis-store.js";
import { type Fault, faultyConnection } from "./faulty-connection.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { connection } = await useRedis();
const LATE_MS = 150;

/** The command runs at once, and its reply comes when nobody waits for it any more. */
const late: Fault = async (pass) => {
  const reply = await pass();
  await sleep(LATE_MS);
  return reply;
};

/** The reply comes in time, though late enough for something to happen before. */
const lateButInTime: Fault = async (pass) => {
  const reply = await pass();
  await sleep(20);
  return reply;
};

function setUp(isCluster = false) {
  const faulty = faultyConnection(connection);
  const store = redisStore(
    { ...faulty, isCluster },
    { timeoutMs: 50, breaker: { failures: 1, cooldownMs: 60_000 } },
  );
  const minute = tally({ name: "minute", limit: 5, window: "1m", store });
  const day = tally({ name: "day", limit: 9, window: "1d", store });
  // what the server counts, whatever the other store thinks of it
  const seen = redisStore(connection, { timeoutMs: 5_000 });
  const counted = compose([
    tally({ name: "minute", limit: 5, window: "1m", store: seen }),
    tally({ name: "day", limit: 9, window: "1d", store: seen }),
  ]);
  return { faulty, minute, limits: compose([minute, day]), counted };
}

describe("a grant that arrives after its call timed out", () => {
  it("is given back, though the breaker is open", async () => {
    const { faulty, minute, counted } = setUp();
    await minute.consume("a");
    faulty.faults.push(late);
    await expect(minute.consume("a", { cost: 3 })).rejects.toMatchObject({ mayHaveCounted: true });
    expect(await counted.peek("a")).toMatchObject({ limits: { minute: { remaining: 1 } } });
    await vi.waitFor(async () => {
      expect(await counted.peek("a")).toMatchObject({ limits: { minute: { remaining: 4 } } });
    });
    await expect(minute.consume("a")).rejects.toThrow("is not asked for");
  });

  it("is given back to every limit of a composite", async () => {
    const { faulty, limits, counted } = setUp();
    await limits.consume("a");
    faulty.faults.push(late);
    await expect(limits.consume("a", { cost: 2 })).rejects.toThrow("did not answer within 50 ms");
    await vi.waitFor(async () => {
      expect(await counted.peek("a")).toMatchObject({
        limits: { minute: { remaining: 4 }, day: { remaining: 8 } },
      });
    });
  });

  it("is not given back in a cluster, where another primary may have taken the place of the one that granted it", async () => {
    const { faulty, minute, counted } = setUp(true);
    await minute.consume("a");
    faulty.faults.push(late);
    await expect(minute.consume("a", { cost: 3 })).rejects.toMatchObject({ mayHaveCounted: true });
    await sleep(2 * LATE_MS);
    expect(await counted.peek("a")).toMatchObject({ limits: { minute: { remaining: 1 } } });
  });

  it("gives nothing back where it was a denial, or a look", async () => {
    const { faulty, minute } = setUp();
    await minute.consume("a", { cost: 5 });
    faulty.faults.push(late);
    await expect(minute.consume("a")).rejects.toThrow();
    const sent = faulty.sent.length;
    await sleep(2 * LATE_MS);
    expect(faulty.sent).toHaveLength(sent);
  });
});

describe("a grant that arrives after its caller left", () => {
  it("is given back, though the breaker has opened meanwhile", async () => {
    const { faulty, minute, limits, counted } = setUp();
    await limits.consume("a");
    const controller = new AbortController();
    faulty.faults.push(lateButInTime, lateButInTime, async () => {
      throw new Error("Connection is closed.");
    });
    const left = [minute, limits].map((limiter) => limiter.consume("a", { signal: controller.signal }));
    await expect(minute.consume("b")).rejects.toThrow("Connection is closed.");
    controller.abort("left");
    for (const call of left) await expect(call).rejects.toBe("left");
    await expect(minute.consume("b")).rejects.toThrow("is not asked for");
    await vi.waitFor(async () => {
      expect(await counted.peek("a")).toMatchObject({
        limits: { minute: { remaining: 4 }, day: { remaining: 8 } },
      });
    });
  });
});

describe("a store that was not asked", () => {
  it("says why, and that nothing was counted", async () => {
    const { faulty, minute } = setUp();
    faulty.faults.push(async () => {
      throw new Error("connect ECONNREFUSED");
    });
    await expect(minute.consume("a")).rejects.toMatchObject({ mayHaveCounted: true });
    await expect(minute.consume("a")).rejects.toMatchObject({
      code: "ERR_SLUICE_STORE",
      message: expect.stringMatching(
        /^limiter "minute": Redis failed 1 times in a row and is not asked for \d+ ms: nothing was sent$/,
      ),
      limiterName: "minute",
      mayHaveCounted: false,
      cause: { message: "connect ECONNREFUSED" },
    });
    expect(faulty.sent).toHaveLength(1);
  });

  it("may be asked again once a key of its own is all that fails", async () => {
    const { faulty, minute } = setUp();
    await minute.consume("a");
    for (let i = 0; i < 3; i++) {
      faulty.faults.push(async () => {
        throw new Error("WRONGTYPE Operation against a key holding the wrong kind of value");
      });
      await expect(minute.consume("a")).rejects.toMatchObject({
        serverCode: "WRONGTYPE",
        mayHaveCounted: false,
      });
    }
    expect(await minute.consume("a")).toMatchObject({ allowed: true });
  });
});
