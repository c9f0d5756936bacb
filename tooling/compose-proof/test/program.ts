/**
 * Run by `runAlone` with the URL of a server and a number of calls, to be made at once for four users in turn, under
 * limits for each of them and one for all. Prints how many were granted where the latter is the tightest (137), and
 * where the former are (29).
 */
import { compose } from "@sluice/core";
import { fixedWindow } from "@sluice/fixed-window";
import { ioredisStore } from "@sluice/ioredis";
import { leakyBucketMeter } from "@sluice/leaky-bucket";
import { tokenBucket } from "@sluice/token-bucket";
import { Redis } from "ioredis";

const [url = "", calls = ""] = process.argv.slice(2);
const client = new Redis(url);

async function granted(prefix: string, forEach: number, forAll: number): Promise<number> {
  const store = ioredisStore(client, { prefix, timeoutMs: 10_000 });
  const rate = { tokens: 1, every: "30d" } as const;
  const limits = compose([
    tokenBucket({ name: "user", capacity: forEach, refill: rate, store }),
    leakyBucketMeter({ name: "team", capacity: forEach + 5, leak: rate, store }),
    fixedWindow({ name: "all", anchor: "first", limit: forAll, window: "30d", store }),
  ]);
  const decisions = Array.from({ length: Number(calls) }, (_, i) => {
    const user = `user-${i % 4}`;
    return limits.consume({ user, team: user, all: "all" });
  });
  return (await Promise.all(decisions)).filter(({ allowed }) => allowed).length;
}

const tightForAll = await granted("tight-for-all", 100, 137);
const tightForEach = await granted("tight-for-each", 29, 1_000);
client.disconnect();
console.log(JSON.stringify({ tightForAll, tightForEach }));
