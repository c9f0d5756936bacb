// What `npm start` shows: a burst, denials with the time to wait, refilling, and two keys that do not disturb
// each other. With REDIS_URL in the environment the same limiter runs on Redis.
import { setTimeout as sleep } from "node:timers/promises";
import { tokenBucket } from "@sluice/token-bucket";
import { type OpenStore, openStore } from "./open-store.ts";
import { narrate, startTimeline } from "./print.ts";

/** A timer may fire a little early, by the store's clock. */
const TIMER_SLACK_MS = 5;

async function timeline({ store, description }: OpenStore): Promise<void> {
  const limiter = tokenBucket({ name: "timeline", capacity: 5, refill: { tokens: 2, every: "1s" }, store });
  // What an earlier run has used must not show in this one.
  for (const user of ["ada", "bob"]) await limiter.reset(user);

  narrate("Every user has a bucket of 5 tokens. A request takes one; one comes back every 500 ms.");
  const show = startTimeline("ada", "bob");

  narrate("Ada sends seven requests in a burst, Bob sends one.");
  let last = await limiter.consume("ada");
  show({ ada: last, bob: await limiter.consume("bob") });
  for (let request = 2; request <= 7; request += 1) {
    last = await limiter.consume("ada");
    show({ ada: last });
  }

  narrate("Ada waits as long as she was told.");
  await sleep(last.retryAfterMs + TIMER_SLACK_MS);
  show({ ada: await limiter.consume("ada") });

  narrate("She rests, and her bucket fills up. Bob goes on, once a second.");
  for (let halfSecond = 1; halfSecond <= 5; halfSecond += 1) {
    await sleep(500);
    const bob = halfSecond % 2 === 1 ? await limiter.consume("bob") : undefined;
    show({ ada: await limiter.peek("ada"), bob });
  }

  narrate("A large request may cost more than one token: she sends two that cost 3 each.");
  show({ ada: await limiter.consume("ada", { cost: 3 }) });
  last = await limiter.consume("ada", { cost: 3 });
  show({ ada: last });
  await sleep(last.retryAfterMs + TIMER_SLACK_MS);
  show({ ada: await limiter.consume("ada", { cost: 3 }) });

  narrate(description);
}

try {
  const opened = await openStore(process.env.REDIS_URL);
  try {
    await timeline(opened);
  } finally {
    opened.close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
