import { proveShippedScripts } from "@sluice/algorithm-proof";
import { describe } from "vitest";
import { algorithm as counter } from "../src/sliding-window-counter.js";
import { algorithm as log } from "../src/sliding-window-log.js";

describe("log", () => proveShippedScripts(log, { shipped: new URL("../lua/log/", import.meta.url) }));
describe("counter", () =>
  proveShippedScripts(counter, { shipped: new URL("../lua/counter/", import.meta.url) }));
