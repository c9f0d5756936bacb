import { proveAlgorithm } from "@sluice/algorithm-proof";
import { leakyBucket } from "../src/leaky-bucket.js";
import { queuePolicies } from "./policies.js";
import { QueueModel } from "./queue-model.js";

proveAlgorithm({
  create: leakyBucket,
  // one passes at once, the others wait
  shape: (limit, windowMs) => ({ capacity: limit - 1, leak: { tokens: limit, every: windowMs } }),
  resized: (limit) => ({ capacity: limit - 1 }),
  policies: queuePolicies,
  model: ({ capacity, leak }) => new QueueModel(capacity, leak.tokens, Number(leak.every)),
  atMost: (limit, windowMs, stretchMs) => limit + Math.floor((limit * stretchMs) / windowMs),
  smallestLimit: 1,
  windowsKept: 1,
  undoes: "last",
  delays: true,
});
