import { type FaultyStore, inMemory, type Workshop } from "./faulty-stores.ts";

/** Stores that take one user, one limit or one prefix for another. */
export function misplacing({ sound }: Workshop): readonly FaultyStore[] {
  return [
    {
      fault: "takes letters of either case for one",
      candidate: inMemory((store) => ({
        decide: (limit, key, ask) => store.decide(limit, key.toLowerCase(), ask),
      })),
      refusedBy: ["counts odd keys apart"],
    },
    {
      fault: "cuts long keys short",
      candidate: inMemory((store) => ({
        decide: (limit, key, ask) => store.decide(limit, key.slice(0, 1_000), ask),
      })),
      refusedBy: ["counts odd keys apart"],
    },
    {
      fault: "corrects the key of another user",
      candidate: inMemory((store) => ({
        adjust: (limit, key, change) => store.adjust(limit, key.trim(), change),
      })),
      refusedBy: ["corrects a grant to an odd key"],
    },
    {
      fault: "keeps all limits in one place",
      candidate: inMemory((store) => ({
        decide: (limit, key, ask) => store.decide({ ...limit, space: "all" }, key, ask),
        forget: (limit, key, keepBlock) => store.forget({ ...limit, space: "all" }, key, keepBlock),
      })),
      refusedBy: ["counts two limits apart"],
    },
    {
      fault: "has one place for all prefixes",
      candidate: { ...sound, open: (options) => sound.open({ ...options, prefix: "the only one" }) },
      refusedBy: ["counts apart what is kept under prefixes"],
      ofConnection: true,
    },
    {
      fault: "is another one in each process",
      candidate: {
        ...sound,
        program: { path: new URL("crowd-of-hermits.ts", import.meta.url), args: [] },
      },
      refusedBy: ["grants the callers of several processes"],
    },
  ];
}
