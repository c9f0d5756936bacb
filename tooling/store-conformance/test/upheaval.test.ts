import { type Store, StoreError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { counts, fails, inTime, servesAgain, withinLimits } from "../src/aftermath.ts";
import { liveThrough, type Witness } from "../src/live-through.ts";
import { Load } from "../src/load.ts";
import { type Fault, inMemory } from "./faulty-stores.ts";

const USERS = ["a", "b", "c", "d"];
const nothing = async (): Promise<void> => {};

/** What is left of a load on a store in memory, with a fault or without, while something happens. */
async function loadOver(fault: Fault, happen: (witness: Witness) => Promise<void> = nothing): Promise<Load> {
  const load = new Load(inMemory(fault).open({}), USERS);
  await liveThrough([load], [load], happen);
  return load;
}

type Decide = Store["decide"];

/** Does something else with every seventh call that may be charged. */
function nowAndThen(otherwise: (sound: Decide) => Decide): Fault {
  return (sound) => {
    let calls = 0;
    const decideOtherwise = otherwise(sound.decide);
    return {
      decide(limit, key, ask) {
        if (ask.commit) calls += 1;
        return ask.commit && calls % 7 === 0
          ? decideOtherwise(limit, key, ask)
          : sound.decide(limit, key, ask);
      },
    };
  };
}

/** Forgets every key once, after it is told to. */
function forgetful(): { fault: Fault; forget: () => void } {
  let forgets = false;
  const forgotten = new Set<string>();
  return {
    forget() {
      forgets = true;
    },
    fault: (sound) => ({
      async decide(limit, key, ask) {
        const place = `${limit.space}:${key}`;
        if (forgets && !forgotten.has(place)) await sound.forget(limit, key, false);
        if (forgets) forgotten.add(place);
        return sound.decide(limit, key, ask);
      },
    }),
  };
}

function refused(mayHaveCounted: boolean): StoreError {
  return new StoreError('limiter "load-3": refused', { mayHaveCounted });
}

describe.concurrent("after an upheaval the kit", () => {
  it("accepts a store without a fault, but not where failures were expected", async () => {
    const load = await loadOver(() => ({}));
    for (const { run } of [inTime, fails.none, fails["some may"], servesAgain, withinLimits, counts]) {
      await run(load);
    }
    expect(() => fails["some do"].run(load)).toThrow();
  });

  it("refuses a store that leaves a call waiting", async () => {
    let answers = 0;
    const load = await loadOver((sound) => ({
      async decide(limit, key, ask) {
        answers += 1;
        return answers === 7 ? new Promise(() => {}) : sound.decide(limit, key, ask);
      },
    }));
    expect(() => inTime.run(load)).toThrow();
  });

  it("refuses a store that shows errors of another kind", async () => {
    const load = await loadOver(nowAndThen(() => () => Promise.reject(new Error("Connection is closed."))));
    for (const { run } of Object.values(fails)) expect(() => run(load)).toThrow();
  });

  it("accepts a store that fails by StoreErrors where it may", async () => {
    const load = await loadOver(nowAndThen(() => () => Promise.reject(refused(false))));
    fails["some may"].run(load);
    fails["some do"].run(load);
    await counts.run(load);
    expect(() => fails.none.run(load)).toThrow();
  });

  it("refuses a store that serves some users no more", async () => {
    const load = new Load(inMemory(nowAndThen(() => () => Promise.reject(refused(false)))).open({}), USERS);
    const stranded = new Load(
      inMemory(() => ({ decide: () => Promise.reject(refused(false)) })).open({}),
      USERS,
    );
    expect(await load.answersEverybody(2_000)).toBe(true);
    expect(await stranded.answersEverybody(200)).toBe(false);
    expect(() => servesAgain.run(stranded)).toThrow();
    await Promise.all([load.stop(), stranded.stop()]);
  });

  it("refuses a store that counts what it says it did not count", async () => {
    const load = await loadOver(
      nowAndThen((sound) => async (limit, key, ask) => {
        await sound(limit, key, ask);
        throw refused(false);
      }),
    );
    await expect(counts.run(load)).rejects.toThrow();
  });

  it("accepts a store that counts what it says it may have counted", async () => {
    const load = await loadOver(
      nowAndThen((sound) => async (limit, key, ask) => {
        await sound(limit, key, ask);
        throw refused(true);
      }),
    );
    await counts.run(load);
  });

  it("refuses a store that counts a call twice", async () => {
    const load = await loadOver(
      nowAndThen((sound) => async (limit, key, ask) => {
        await sound(limit, key, ask);
        return sound(limit, key, ask);
      }),
    );
    await expect(counts.run(load)).rejects.toThrow();
  });

  it("refuses a store that forgets where nothing was lost", async () => {
    const { fault, forget } = forgetful();
    const load = await loadOver(fault, async () => forget());
    expect(() => withinLimits.run(load)).toThrow();
    await expect(counts.run(load)).rejects.toThrow();
  });

  it("refuses a store that forgets what had been passed on to the successor", async () => {
    const { fault, forget } = forgetful();
    const load = await loadOver(fault, ({ mayForget }) => mayForget(async () => forget()));
    expect(() => withinLimits.run(load)).toThrow();
  });
});
