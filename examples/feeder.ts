// A feeder: tokens come when a machine has room for work, and not by the clock. The bucket's own refill is so slow that
// it means nothing; whoever knows how much room there is hands the tokens out.
//
//   pnpm example feeder
import { setTimeout as sleep } from "node:timers/promises";
import { type Decision, tokenBucket } from "@sluice/token-bucket";
import { type OpenStore, openStore } from "./open-store.ts";
import { narrate } from "./print.ts";

const USERS = ["ada", "bob"] as const;
/** How many tokens each of them asks for in a round. */
const ASKED = { ada: 2, bob: 1 };
const ROUND_MS = 300;
/** For how many jobs of each user there is room, round by round: what a feeder measures. */
const ROOM = [2, 1, 0, 3, 3];

function told({ key, allowed, cost, remaining }: Decision): string {
  return `${key} asks for ${cost} and ${allowed ? "passes" : "has to wait"}, ${remaining} left`;
}

async function feed({ store }: OpenStore): Promise<void> {
  const limiter = tokenBucket({
    name: "feeder",
    capacity: 4,
    refill: { tokens: 1, every: "3650d" },
    store,
  });
  for (const user of USERS) {
    // What an earlier run has used must not show in this one. A bucket begins full, and this story with empty ones.
    await limiter.reset(user);
    await limiter.consume(user, { cost: 4 });
  }

  narrate(`Every ${ROUND_MS} ms the feeder gives each user as many tokens as there is room for.`);
  for (const room of ROOM) {
    const there = await limiter.grant(USERS, room);
    console.log(`\n  room for ${room}: they have ${there.join(" and ")}`);
    for (const user of USERS) console.log(`    ${told(await limiter.consume(user, { cost: ASKED[user] }))}`);
    await sleep(ROUND_MS);
  }

  narrate("The users are gone, and the feeder goes on: a bucket never holds more than its capacity.");
  for (let round = 1; round <= 3; round += 1) {
    const there = await limiter.grant(USERS, 2);
    console.log(`  room for 2: they have ${there.join(" and ")}`);
  }
}

try {
  const opened = await openStore(process.env.REDIS_URL);
  try {
    await feed(opened);
  } finally {
    opened.close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
