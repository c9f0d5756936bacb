/**
 * Run by `runAlone` with the URL of a server and a major version: consumes once, disconnects, and then has to end by
 * itself. Prints the decision and how many milliseconds it was kept alive for nothing.
 */
import { tokenBucket } from "@sluice/token-bucket";
import { Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { ioredisStore } from "../src/index.js";

const [url = "", major = ""] = process.argv.slice(2);
const client = major === "5" ? new Redis5(url) : new Redis(url);
const store = ioredisStore(client, { timeoutMs: 60_000 });
const limiter = tokenBucket({ name: "api", capacity: 5, refill: { tokens: 1, every: "1d" }, store });
const { remaining } = await limiter.consume("user:42");
client.disconnect();
const doneMs = performance.now();
process.on("exit", () => {
  console.log(JSON.stringify({ remaining, lingeredMs: Math.round(performance.now() - doneMs) }));
});
