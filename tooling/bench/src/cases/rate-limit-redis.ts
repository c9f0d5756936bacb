import { type RedisReply, RedisStore } from "rate-limit-redis";
import { type Case, inTurn } from "../case.ts";

/** The Redis store of `express-rate-limit`: a fixed window that begins with a key's first call, and is never denied. */
export const rateLimitRedis: Case = {
  name: "rate-limit-redis, counted",
  measures: ["throughput", "instructions", "bytes"],
  async prepare({ client, keys }) {
    const store = new RedisStore({
      prefix: "b:",
      sendCommand: async (command: string, ...args: string[]): Promise<RedisReply> => {
        const reply = await client.call(command, ...args);
        if (typeof reply === "string" || typeof reply === "number") return reply;
        return Array.isArray(reply) ? reply.map(Number) : 0;
      },
    });
    store.windowMs = 86_400_000;
    const nextKey = inTurn(keys);
    await Promise.all(keys.map((key) => store.increment(key)));
    return () => store.increment(nextKey());
  },
};
