import { proveAlgorithm } from "@sluice/algorithm-proof";
import { slidingWindowCounter } from "../src/sliding-window-counter.js";
import { CounterModel } from "./counter-model.js";
import { counterPolicies } from "./policies.js";

proveAlgorithm({
  create: slidingWindowCounter,
  shape: (limit, windowMs) => ({ limit, window: windowMs }),
  resized: (limit) => ({ limit }),
  policies: counterPolicies,
  model: ({ limit, window }) => new CounterModel(limit, Number(window)),
  atMost: (limit, windowMs, stretchMs) => Math.floor(limit * (1 + stretchMs / windowMs)),
  smallestLimit: 0,
  windowsKept: 2,
  undoes: "window",
  delays: false,
});
