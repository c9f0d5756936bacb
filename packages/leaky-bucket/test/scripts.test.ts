import { proveShippedScripts } from "@sluice/algorithm-proof";
import { describe } from "vitest";
import { algorithm as queue } from "../src/leaky-bucket.js";
import { algorithm as meter } from "../src/leaky-bucket-meter.js";

const kernel = new URL("../../core/lua/level/", import.meta.url);

describe("queue", () =>
  proveShippedScripts(queue, {
    shipped: new URL("../lua/queue/", import.meta.url),
    kernel,
    adjust: ["granted.lua", "adjust-last.lua", "adjust.lua"],
  }));
describe("meter", () =>
  proveShippedScripts(meter, {
    shipped: new URL("../lua/meter/", import.meta.url),
    kernel,
    adjust: ["granted.lua", "adjust.lua"],
  }));
