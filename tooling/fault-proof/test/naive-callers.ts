/** Callers on a connection that says nothing of its losses: its client sends again what was under way. */
import { redisStore } from "@sluice/core";
import { Redis } from "ioredis";
import { obeyOrders } from "../src/callers.ts";

await obeyOrders((port, options) => {
  const client = new Redis(port, { retryStrategy: () => 50 }).on("error", () => {});
  const send = (command: string, args: readonly (string | Uint8Array)[]): Promise<unknown> =>
    client.callBuffer(command, ...args.map((arg) => (typeof arg === "string" ? arg : Buffer.from(arg))));
  return { store: redisStore({ send }, options), close: () => client.disconnect() };
});
