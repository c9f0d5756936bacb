import { type Store, StoreError } from "@sluice/core";
import type { Fault, FaultyStore, Workshop } from "./faulty-stores.ts";

type Outcome = Awaited<ReturnType<Store["decide"]>>;

/** Stores that handle what their server holds, forgets and refuses in the wrong way. */
export function failing(workshop: Workshop): readonly FaultyStore[] {
  return [
    {
      fault: "corrects nothing",
      candidate: workshop.storing((sound) => ({
        adjust: (limit, key) => sound.decide(limit, key, { commit: false, cost: 0, least: 0, reserve: 0 }),
      })),
      refusedBy: [
        "gives back what was granted to a caller who left",
        "leaves no key behind of what was given back",
      ],
    },
    {
      fault: "takes what the server refuses for denied",
      candidate: workshop.storing(whereRefused(() => -1)),
      refusedBy: ["answers by a StoreError, never by a denial", "and leaves the key alone"],
    },
    {
      fault: "lets pass what the server refuses",
      candidate: workshop.storing(whereRefused((cost) => cost)),
      refusedBy: ["answers by a StoreError, never by a denial", "grants no more than the limit"],
    },
    {
      fault: "throws errors of its own kind",
      candidate: workshop.storing(
        whereRefused(() => {
          throw new Error("refused");
        }),
      ),
      refusedBy: ["answers by a StoreError, never by a denial"],
    },
    {
      fault: "says of what was refused that it may have counted",
      candidate: workshop.storing(
        whereRefused(() => {
          throw new StoreError('limiter "proof": refused', { mayHaveCounted: true });
        }),
      ),
      refusedBy: ["answers by a StoreError, never by a denial"],
    },
    {
      fault: "counts a call again where the script was missing",
      candidate: workshop.sending((send) => async (command, words, key) => {
        if (command === "EVAL") await send(command, words, key);
        return send(command, words, key);
      }),
      refusedBy: ["though the servers have just forgotten", "loses no count and doubles none"],
      ofConnection: true,
    },
    {
      fault: "takes replies for text",
      candidate: workshop.sending((send) => async (...call) => {
        const reply = await send(...call);
        return reply instanceof Uint8Array ? Buffer.from(Buffer.from(reply).toString()) : reply;
      }),
      refusedBy: ["decides random traffic", "corrects a grant to an odd key"],
      ofConnection: true,
    },
    {
      fault: "lets its callers see that a script was missing",
      candidate: workshop.sending((send) => async (command, words, key) => {
        if (command === "EVAL") throw new Error("NOSCRIPT No matching script.");
        return send(command, words, key);
      }),
      refusedBy: ["though the servers have just forgotten", "loses no count and doubles none"],
      ofConnection: true,
    },
    {
      fault: "keeps its keys for good",
      candidate: workshop.meddling("PERSIST"),
      refusedBy: [
        "gives its key a TTL as long as it matters",
        "gives a key that has lost its TTL another one",
        "lets its keys vanish by themselves",
      ],
    },
    {
      fault: "keeps its keys far too long",
      candidate: workshop.meddling("PEXPIRE", String(2 ** 42)),
      refusedBy: ["gives its key a TTL as long as it matters"],
    },
    {
      fault: "lets its keys go too early",
      candidate: workshop.meddling("PEXPIRE", "60000"),
      refusedBy: ["gives its key a TTL as long as it matters"],
    },
    {
      fault: "leaves keys behind that hold nothing",
      candidate: workshop.meddling("SET", "nothing", "NX"),
      refusedBy: ["leaves no key behind of what was given back", "works on where a reset has cleared away"],
    },
    {
      fault: "goes by its own clock alone",
      candidate: {
        ...workshop.sound,
        open: ({ clock: _, ...options }) => workshop.sound.open(options),
      },
      refusedBy: ["dates its decisions"],
    },
  ];
}

/** Answers a call that the server refused as if so much had been taken of an unused limit. */
function whereRefused(takenOf: (cost: number) => number): Fault {
  return (sound) => ({
    async decide(limit, key, ask): Promise<Outcome> {
      try {
        return await sound.decide(limit, key, ask);
      } catch {
        const { facts } = limit.kernel.decide(undefined, 0, ask, limit.params);
        return { taken: takenOf(ask.cost), nowMs: 0, facts };
      }
    },
  });
}
