import { check } from "@sluice/algorithm-proof";
import fc from "fast-check";
import { it } from "vitest";
import { blockTraces, compareBlocks } from "../src/blocks.ts";
import { eachAlgorithm } from "../src/each-algorithm.ts";
import { useStores } from "../src/stores.ts";

const TRACES = 80;
const TIMEOUT_MS = 120_000;
const [, redis] = await useStores();

eachAlgorithm((subject) => {
  it(
    "blocks keys on both stores as a model does",
    async () => {
      const property = fc.asyncProperty(blockTraces(subject), (trace) =>
        compareBlocks(subject, redis.open, trace),
      );
      await check(property, TRACES);
    },
    TIMEOUT_MS,
  );
});
