import type { Model } from "@sluice/algorithm-proof";
import { type Decision, type Limiter, redisStore } from "@sluice/core";
import { expect, it } from "vitest";
import { slidingWindowCounter, slidingWindowLog } from "../src/index.js";
import { CounterModel } from "./counter-model.js";
import { LogModel } from "./log-model.js";
import { useRedis } from "./redis.js";

const LIMIT = 120;
const WINDOW_MS = 60;
const FOR_MS = 1_500;

const { connection } = await useRedis();
const policy = { name: "b", limit: LIMIT, window: WINDOW_MS };

it.each([
  ["log", slidingWindowLog({ ...policy, store: redisStore(connection) }), new LogModel(LIMIT, WINDOW_MS)],
  [
    "counter",
    slidingWindowCounter({ ...policy, store: redisStore(connection) }),
    new CounterModel(LIMIT, WINDOW_MS),
  ],
] satisfies [string, Limiter, Model][])(
  "a %s decides by the server's clock as the model does, several calls a millisecond",
  async (_, limiter, model) => {
    const costs = [1, 1, 1, 2, 1, 1, 7];
    let calls = 0;
    const seen = { allowed: 0, denied: 0 };
    for (const untilMs = performance.now() + FOR_MS; performance.now() < untilMs; ) {
      // sent together, the usual call among them: one script each, a moment apart by the server's clock
      const asked = costs.map((cost) => ({ cost, decided: limiter.consume("user:042", { cost }) }));
      for (const { cost, decided } of asked) {
        const decision = await decided;
        const call = { cost, atLeast: cost, reserve: 0 };
        expect(answerOf(decision)).toEqual(model.consume(decision.decidedAtMs, call, calls++));
        seen[decision.allowed ? "allowed" : "denied"]++;
      }
    }
    expect(seen.allowed).toBeGreaterThan(LIMIT);
    expect(seen.denied).toBeGreaterThan(0);
  },
);

function answerOf({ allowed, taken, remaining, retryAfterMs, resetAfterMs, delayMs }: Decision) {
  return { allowed, taken, remaining, retryAfterMs, resetAfterMs, delayMs };
}
