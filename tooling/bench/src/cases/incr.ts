import { type Case, inTurn } from "../case.ts";

/** A counter and nothing else: no limit, no expiry, no script. */
export const bareIncr: readonly Case[] = [
  {
    name: "INCR",
    measures: ["throughput", "instructions"],
    async prepare({ client, keys }) {
      const nextKey = inTurn(keys);
      return () => client.incr(nextKey());
    },
  },
  {
    name: "INCR",
    by: "node-redis",
    measures: ["throughput"],
    async prepare({ nodeRedis, keys }) {
      const nextKey = inTurn(keys);
      return () => nodeRedis.incr(nextKey());
    },
  },
];
