import { check } from "@sluice/algorithm-proof";
import fc from "fast-check";
import { it } from "vitest";
import { eachAlgorithm } from "../src/each-algorithm.ts";
import { compareKeyPolicies, keyTraces } from "../src/key-policies.ts";
import { useStores } from "../src/stores.ts";

const TRACES = 80;
const TIMEOUT_MS = 120_000;
const [, redis] = await useStores();

eachAlgorithm((subject) => {
  it(
    "answers on both stores as a limiter that is made with the key's policy, whenever it changes",
    async () => {
      const property = fc.asyncProperty(keyTraces(subject), async (trace) => {
        await compareKeyPolicies(subject, redis.open, trace);
      });
      await check(property, TRACES);
    },
    TIMEOUT_MS,
  );
});
