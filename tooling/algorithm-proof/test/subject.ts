import { defineAlgorithm, type LuaKernel } from "@sluice/core/algorithm";
import fc from "fast-check";
import { wide } from "../src/amounts.ts";
import type { Subject } from "../src/subject.ts";
import { algorithm, type PlainWindowOptions } from "./plain-window.ts";
import { PlainWindowModel } from "./plain-window-model.ts";

/** The plain window as it joins the proof; `lua` replaces parts of its Lua kernel. */
export function plainWindow(lua: Partial<LuaKernel> = {}): Subject<PlainWindowOptions> {
  return {
    create: defineAlgorithm({ ...algorithm, lua: { ...algorithm.lua, ...lua } }),
    shape: (limit, windowMs) => ({ limit, window: windowMs }),
    resized: (limit) => ({ limit }),
    policies: fc.record({ limit: wide(1, Number.MAX_SAFE_INTEGER), window: wide(1, 2 ** 51) }),
    model: ({ limit, window }) => new PlainWindowModel(limit, Number(window)),
    atMost: (limit, windowMs, stretchMs) => limit * (Math.ceil(stretchMs / windowMs) + 1),
    smallestLimit: 0,
    windowsKept: 1,
    undoes: "window",
    delays: false,
  };
}
