/**
 * Run by `runAlone` with the URL of a server and a major version: consumes once through each of two clients, closes one
 * and destroys the other, and then has to end by itself. Prints what remained and how many milliseconds the process was
 * kept alive for nothing.
 */
import { tokenBucket } from "@sluice/token-bucket";
import { createClient } from "redis";
import { createClient as createClient5 } from "redis-5";
import { nodeRedisStore } from "../src/index.js";

const [url = "", major = ""] = process.argv.slice(2);
const open = () => (major === "5" ? createClient5({ url }).connect() : createClient({ url }).connect());
const clients = { closed: await open(), destroyed: await open() };

const remaining: number[] = [];
for (const client of Object.values(clients)) {
  const store = nodeRedisStore(client, { timeoutMs: 60_000 });
  const limiter = tokenBucket({ name: "api", capacity: 5, refill: { tokens: 1, every: "1d" }, store });
  remaining.push((await limiter.consume("user:42")).remaining);
}
await clients.closed.close();
clients.destroyed.destroy();
const doneMs = performance.now();
process.on("exit", () => {
  console.log(JSON.stringify({ remaining, lingeredMs: Math.round(performance.now() - doneMs) }));
});
