import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { CrossSlotError, StoreError } from "../src/errors.js";
import type { Limiter } from "../src/limiter.js";
import type { RedisConnection } from "../src/redis-connection.js";
import { redisStore } from "../src/redis-store.js";
import { manualClock } from "../src/testing.js";
import { type Fault, faultyConnection, refused, replyLost } from "./faulty-connection.js";
import { useRedis } from "./redis.js";
import { tally } from "./tiny-algorithm.js";

const { redis, connection } = await useRedis();
const KEYS = { user: "u1", team: "t1", global: "all" };
const pass: Fault = (send) => send();

/** A server that is asked as if it were a cluster: for each command keys of one hash tag. */
function setUp(crossSlot?: "reserve" | "error") {
  const wire = faultyConnection(connection);
  const asked: string[] = [];
  const cluster: RedisConnection = {
    isCluster: true,
    send(command, args, key) {
      asked.push(key.replace(/^sluice:(\w+):.*$/, "$1"));
      return wire.send(command, args, key);
    },
  };
  const store = redisStore(cluster, { clock: manualClock(1_000_000) });
  const user = tally({ name: "user", limit: 5, window: "1m", store });
  const team = tally({ name: "team", limit: 20, window: "1m", store });
  const global = tally({ name: "global", limit: 100, window: "1m", store });
  return { wire, asked, user, team, global, limits: compose([global, user, team], { crossSlot }) };
}

/** With the scripts on the server, so that a command is a call. */
async function setUpLoaded() {
  const set = setUp();
  const decision = await set.limits.consume({ user: "loads", team: "loads too", global: "loads all" });
  await set.limits.refund(decision);
  set.asked.length = 0;
  return set;
}

async function left({ user, team, global }: { user: Limiter; team: Limiter; global: Limiter }) {
  const looks = await Promise.all([user.peek("u1"), team.peek("t1"), global.peek("all")]);
  return looks.map(({ remaining }) => remaining);
}

describe("limits whose keys lie in several slots", () => {
  it("are all charged where all allow", async () => {
    const set = setUp();
    const decision = await set.limits.consume(KEYS, { cost: 2 });
    expect(decision).toMatchObject({ allowed: true, name: "user", remaining: 3, taken: 2 });
    expect(decision.limits.global).toMatchObject({ allowed: true, remaining: 98, taken: 2 });
    expect(await left(set)).toEqual([3, 18, 98]);
  });

  it("are charged one slot after the other, the tightest first", async () => {
    const { asked, limits } = await setUpLoaded();
    await limits.consume(KEYS);
    expect(asked).toEqual(["user", "team", "global"]);
    asked.length = 0;
    await limits.consume(KEYS, { cost: { user: 1, team: 1, global: 90 } });
    expect(asked).toEqual(["global", "user", "team"]);
  });

  it("are charged in one call as far as they share a key", async () => {
    const { asked, limits } = await setUpLoaded();
    await limits.consume({ user: "u1", team: "all", global: "all" });
    expect(asked).toEqual(["user", "global"]);
  });

  it.each(["user", "team", "global"] as const)(
    "have all that they gave back when %s denies, and tell what each would answer alone",
    async (name) => {
      const set = setUp();
      await set[name].consume(KEYS[name], { cost: set[name].policy.limit });
      await set.limits.consume(KEYS);
      const before = await left(set);
      const decision = await set.limits.consume(KEYS);
      expect(decision).toMatchObject({ allowed: false, name, taken: 0, receipt: "" });
      for (const other of ["user", "team", "global"] as const) {
        const alone = await set[other].peek(KEYS[other]);
        expect(decision.limits[other]).toEqual(alone);
      }
      expect(await left(set)).toEqual(before);
    },
  );

  it.each(["user", "team", "global"] as const)("are not changed by a peek that %s denies", async (name) => {
    const set = setUp();
    await set.limits.consume(KEYS, { cost: 2 });
    await set[name].consume(KEYS[name], { cost: set[name].policy.limit - 2 });
    const before = await left(set);
    expect(await set.limits.peek(KEYS)).toMatchObject({ allowed: false, name, taken: 0 });
    expect(await left(set)).toEqual(before);
  });

  it("are not changed by a peek that all allow", async () => {
    const set = setUp();
    await set.limits.consume(KEYS, { cost: 2 });
    expect(await set.limits.peek(KEYS)).toMatchObject({ allowed: true, taken: 0 });
    expect(await left(set)).toEqual([3, 18, 98]);
  });

  it("are refunded, settled and reset each in its own slot", async () => {
    const set = setUp();
    const decision = await set.limits.consume(KEYS);
    const settled = await set.limits.settle(decision, { user: 3, team: 4, global: 5 });
    expect(await left(set)).toEqual([2, 16, 95]);
    await set.limits.refund(settled);
    expect(await left(set)).toEqual([5, 20, 100]);
    await set.limits.consume(KEYS);
    await set.limits.reset(KEYS);
    expect(await left(set)).toEqual([5, 20, 100]);
  });

  it("have all that they gave back when the server refuses one of the calls", async () => {
    const set = await setUpLoaded();
    set.wire.faults.push(pass, pass, refused);
    const call = set.limits.consume(KEYS);
    await expect(call).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: false });
    expect(await left(set)).toEqual([5, 20, 100]);
  });

  it("have all that they gave back, but for what may have been charged in the call whose reply was lost", async () => {
    const set = await setUpLoaded();
    set.wire.faults.push(pass, pass, replyLost);
    await expect(set.limits.consume(KEYS)).rejects.toMatchObject({ mayHaveCounted: true });
    expect(await left(set)).toEqual([5, 20, 99]);
  });

  it("say that something may have been charged where it could not be given back after a failure", async () => {
    const set = await setUpLoaded();
    set.wire.faults.push(pass, refused, refused);
    const call = set.limits.consume(KEYS);
    await expect(call).rejects.toBeInstanceOf(StoreError);
    await expect(call).rejects.toMatchObject({ mayHaveCounted: true });
    expect(await left(set)).toEqual([4, 20, 100]);
  });

  it("deny where one denies, though what was charged could not be given back: it comes back by itself", async () => {
    const set = await setUpLoaded();
    await set.team.consume("t1", { cost: 20 });
    // user is charged, team denies, and user's unit cannot be given back
    set.wire.faults.push(pass, pass, refused);
    expect(await set.limits.consume(KEYS)).toMatchObject({ allowed: false, name: "team" });
    expect(await left(set)).toEqual([4, 0, 100]);
  });

  it("give back once, also where one denies and the server refuses to say what the others would answer", async () => {
    const set = await setUpLoaded();
    await set.user.consume("u1", { cost: 3 });
    await set.team.consume("t1", { cost: 20 });
    // user is charged, team denies, user's unit is given back, and global cannot be looked at
    set.wire.faults.push(pass, pass, pass, refused);
    await expect(set.limits.consume(KEYS)).rejects.toBeInstanceOf(StoreError);
    expect(await left(set)).toEqual([2, 0, 100]);
  });

  it("are not touched where that is to be an error", async () => {
    const { asked, limits } = setUp("error");
    await expect(limits.consume(KEYS)).rejects.toThrow(CrossSlotError);
    await expect(limits.peek(KEYS)).rejects.toMatchObject({ code: "ERR_SLUICE_CROSS_SLOT" });
    await expect(limits.consume(KEYS)).rejects.toThrow(
      'composite "global+user+team": in a cluster the limits of one call must have one key, ' +
        'got "all", "u1", "t1"',
    );
    expect(asked).toEqual([]);
    expect(await redis.command("DBSIZE")).toBe(0);
  });

  it("decide together, in one call, where they have one key", async () => {
    const { asked, limits } = setUp("error");
    await limits.peek("u1");
    asked.length = 0;
    expect(await limits.consume("u1")).toMatchObject({ allowed: true, remaining: 4 });
    expect(asked).toEqual(["global"]);
  });
});
