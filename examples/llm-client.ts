// A client of a language model that is limited in requests a minute and in tokens a minute. What a prompt will need is
// known only roughly, so it asks for the most, and what was not used comes back at once. With REDIS_URL, any number of
// clients share the limits.
//
//   pnpm example llm-client
import { setTimeout as sleep } from "node:timers/promises";
import { compose, schedule } from "@sluice/core";
import { tokenBucket } from "@sluice/token-bucket";
import { type OpenStore, openStore } from "./open-store.ts";
import { narrate } from "./print.ts";

/** The most that an answer may take, and what the answers here do take. */
const MOST_TOKENS = 4_000;
const USED_TOKENS = [1_200, 900, 800, 1_500, 700, 1_100];
const startMs = performance.now();

function tell(text: string): void {
  console.log(`  ${Math.round(performance.now() - startMs)} ms`.padEnd(12), text);
}

/** In place of a model. */
async function ask(prompt: number): Promise<{ usedTokens: number }> {
  await sleep(300);
  return { usedTokens: USED_TOKENS[prompt] ?? MOST_TOKENS };
}

async function converse({ store }: OpenStore): Promise<void> {
  const requests = tokenBucket({
    name: "llm-requests",
    capacity: 60,
    refill: { tokens: 60, every: "1m" },
    store,
  });
  const tokens = tokenBucket({
    name: "llm-tokens",
    capacity: 10_000,
    refill: { tokens: 10_000, every: "1m" },
    store,
  });
  const model = compose([requests, tokens]);
  // What an earlier run has used must not show in this one.
  await model.reset("our-account");

  narrate(
    `There are 10,000 tokens a minute. Six prompts ask for ${MOST_TOKENS} each, so two can run at once.`,
  );
  const answers = USED_TOKENS.map((_tokens, prompt) =>
    schedule(
      model,
      "our-account",
      async (decision) => {
        tell(`prompt ${prompt} is sent`);
        const { usedTokens } = await ask(prompt);
        const settled = await model.settle(decision, { "llm-requests": 1, "llm-tokens": usedTokens });
        tell(
          `prompt ${prompt} took ${usedTokens}, ${settled.limits["llm-tokens"].remaining} tokens are left`,
        );
      },
      { cost: { "llm-requests": 1, "llm-tokens": MOST_TOKENS }, maxWaitMs: 120_000 },
    ),
  );
  await Promise.all(answers);
  narrate("Without what came back the third would have waited for 12 seconds.");
}

try {
  const opened = await openStore(process.env.REDIS_URL);
  try {
    await converse(opened);
  } finally {
    opened.close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
