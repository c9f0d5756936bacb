import { proveAlgorithm } from "@sluice/algorithm-proof";
import { type FixedWindowOptions, fixedWindow } from "../src/fixed-window.js";
import { policies } from "./policies.js";
import { WindowModel } from "./window-model.js";

proveAlgorithm<FixedWindowOptions>({
  create: fixedWindow,
  shape: (limit, windowMs) => ({ limit, window: windowMs, anchor: "clock" }),
  resized: (limit) => ({ limit }),
  policies: policies("clock"),
  model: ({ limit, window, anchor = "clock" }) => new WindowModel(limit, Number(window), anchor),
  // of the windows that a stretch touches, the first and the last may be touched but for a moment
  atMost: (limit, windowMs, stretchMs) => limit * (Math.ceil(stretchMs / windowMs) + 1),
  smallestLimit: 0,
  windowsKept: 1,
  undoes: "window",
  delays: false,
});
