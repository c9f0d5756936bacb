import { byClock, type FaultyStore, inMemory } from "./faulty-stores.ts";

/** Stores that count wrongly, give back wrongly, or tell the time wrongly. */
export const MISCOUNTING: readonly FaultyStore[] = [
  {
    fault: "charges every call twice",
    candidate: inMemory((sound) => ({
      async decide(limit, key, ask) {
        await sound.decide(limit, key, ask);
        return sound.decide(limit, key, ask);
      },
    })),
    refusedBy: ["tells every grant of one moment another remaining", "decides random traffic"],
  },
  {
    fault: "lets other calls slip in between a decision and its charge",
    candidate: inMemory((sound) => ({
      async decide(limit, key, ask) {
        const outcome = await sound.decide(limit, key, { ...ask, commit: false });
        const delta = ask.commit ? Math.max(0, outcome.taken) : 0;
        if (delta > 0) await sound.adjust(limit, key, { delta, granted: undefined });
        return outcome;
      },
    })),
    refusedBy: ["grants 5 of 1000 calls at once", "judges each of several calls at once"],
  },
  {
    fault: "charges a look",
    candidate: inMemory((sound) => ({
      decide: (limit, key, ask) => sound.decide(limit, key, { ...ask, commit: true }),
    })),
    refusedBy: ["takes nothing for a denied call, a look"],
  },
  {
    fault: "charges a denied call",
    candidate: inMemory((sound) => ({
      async decide(limit, key, ask) {
        const outcome = await sound.decide(limit, key, ask);
        if (outcome.taken < 0) await sound.adjust(limit, key, { delta: 1, granted: undefined });
        return outcome;
      },
    })),
    refusedBy: ["takes nothing for a denied call, a look", "at the very millisecond that it was promised"],
  },
  {
    fault: "leaves nothing in reserve",
    candidate: inMemory((sound) => ({
      decide: (limit, key, ask) => sound.decide(limit, key, { ...ask, reserve: 0 }),
    })),
    refusedBy: ["leaves to others what a call must leave behind"],
  },
  {
    fault: "gives all or nothing",
    candidate: inMemory((sound) => ({
      decide: (limit, key, ask) => sound.decide(limit, key, { ...ask, least: ask.cost }),
    })),
    refusedBy: ["takes as many as there are where fewer will do"],
  },
  {
    fault: "forgets a key now and then",
    candidate: inMemory((sound) => {
      let calls = 0;
      return {
        async decide(limit, key, ask) {
          calls += 1;
          if (calls % 4 === 0) await sound.forget(limit, key, false);
          return sound.decide(limit, key, ask);
        },
      };
    }),
    refusedBy: ["decides random traffic", "keeps what is used when the policy changes"],
  },
  {
    fault: "corrects twice",
    candidate: inMemory((sound) => ({
      async adjust(limit, key, change) {
        await sound.adjust(limit, key, change);
        return sound.adjust(limit, key, change);
      },
    })),
    refusedBy: ["gives back what a refund names, once", "keeps a debt"],
  },
  {
    fault: "resets nothing",
    candidate: inMemory(() => ({ forget() {} })),
    refusedBy: ["forgets on a reset what a key has used", "counts odd keys apart"],
  },
  {
    fault: "keeps each policy in a place of its own",
    candidate: inMemory((sound) => ({
      decide: (limit, key, ask) => sound.decide({ ...limit, space: String(limit.params) }, key, ask),
    })),
    refusedBy: ["keeps what is used when the policy changes"],
  },
  {
    fault: "goes by a clock that ticks every ten milliseconds",
    candidate: byClock((clock) => () => Math.floor(clock() / 10) * 10),
    refusedBy: ["at the very millisecond that it was promised", "dates its decisions"],
  },
  {
    fault: "goes by a clock that runs slow",
    candidate: byClock((clock) => {
      const startMs = clock();
      return () => startMs + Math.floor((clock() - startMs) / 100);
    }),
    refusedBy: [
      "has the whole limit again after as long as it said",
      "lets a denied call pass after as long as it said",
    ],
  },
];
