import { proveAlgorithm } from "@sluice/algorithm-proof";
import { slidingWindowLog } from "../src/sliding-window-log.js";
import { LogModel } from "./log-model.js";
import { logPolicies } from "./policies.js";

proveAlgorithm({
  create: slidingWindowLog,
  shape: (limit, windowMs) => ({ limit, window: windowMs }),
  resized: (limit) => ({ limit }),
  policies: logPolicies,
  model: ({ limit, window }) => new LogModel(limit, Number(window)),
  atMost: (limit, windowMs, stretchMs) => limit * (Math.floor(stretchMs / windowMs) + 1),
  smallestLimit: 0,
  windowsKept: 1,
  undoes: "window",
  remembers: "dates",
  delays: false,
});
