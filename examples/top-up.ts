// Top-ups: a plan of 10 calls a month, and calls that are bought on top when they are used up.
//
//   pnpm example top-up
import { type Decision, tokenBucket } from "@sluice/token-bucket";
import { type OpenStore, openStore } from "./open-store.ts";
import { narrate } from "./print.ts";

const DAY_MS = 86_400_000;

function show({ allowed, cost, remaining, retryAfterMs }: Decision): void {
  const days = (retryAfterMs / DAY_MS).toFixed(1);
  const answer = allowed ? `passes, ${remaining} left` : `is denied: without a purchase, wait ${days} days`;
  console.log(`  a call that costs ${cost} ${answer}`);
}

async function topUp({ store }: OpenStore): Promise<void> {
  const limiter = tokenBucket({ name: "top-up", capacity: 10, refill: { tokens: 10, every: "30d" }, store });
  const buy = async (calls: number): Promise<void> => {
    const [there] = await limiter.grant("ada", calls);
    console.log(`  ${calls} are booked, ${there} are there`);
  };
  // What an earlier run has used must not show in this one.
  await limiter.reset("ada");

  narrate("Ada's plan is 10 calls a month. She has a busy day.");
  for (const cost of [4, 4, 2, 1]) show(await limiter.consume("ada", { cost }));

  narrate("She buys 5 calls, and goes on at once.");
  await buy(5);
  show(await limiter.consume("ada", { cost: 3 }));

  narrate(
    "A job that was to cost 1 costs 6. What is owed is paid by the next purchase before anything else.",
  );
  show(await limiter.settle(await limiter.consume("ada"), 6));
  show(await limiter.consume("ada"));
  await buy(5);

  narrate("A bucket never holds more than its capacity: sell no more than fits.");
  await buy(50);
}

try {
  const opened = await openStore(process.env.REDIS_URL);
  try {
    await topUp(opened);
  } finally {
    opened.close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
