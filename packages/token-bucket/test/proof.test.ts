import { proveAlgorithm } from "@sluice/algorithm-proof";
import { tokenBucket } from "../src/token-bucket.js";
import { BucketModel } from "./model.js";
import { policies } from "./policies.js";

proveAlgorithm({
  create: tokenBucket,
  shape: (limit, windowMs) => ({ capacity: limit, refill: { tokens: Math.max(1, limit), every: windowMs } }),
  resized: (limit) => ({ capacity: limit }),
  policies,
  model: ({ capacity, refill }) => new BucketModel(capacity, refill.tokens, Number(refill.every)),
  atMost: (limit, windowMs, stretchMs) => limit + Math.floor((limit * stretchMs) / windowMs),
  smallestLimit: 0,
  windowsKept: 1,
  undoes: "level",
  delays: false,
});
