import { proveAlgorithm } from "@sluice/algorithm-proof";
import { leakyBucketMeter } from "../src/leaky-bucket-meter.js";
import { MeterModel } from "./meter-model.js";
import { meterPolicies } from "./policies.js";

proveAlgorithm({
  create: leakyBucketMeter,
  shape: (limit, windowMs) => ({ capacity: limit, leak: { tokens: Math.max(1, limit), every: windowMs } }),
  resized: (limit) => ({ capacity: limit }),
  policies: meterPolicies,
  model: ({ capacity, leak }) => new MeterModel(capacity, leak.tokens, Number(leak.every)),
  atMost: (limit, windowMs, stretchMs) => limit + Math.floor((limit * stretchMs) / windowMs),
  smallestLimit: 0,
  windowsKept: 1,
  undoes: "level",
  delays: false,
});
