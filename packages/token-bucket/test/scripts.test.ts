import { proveShippedScripts } from "@sluice/algorithm-proof";
import { algorithm } from "../src/token-bucket.js";

proveShippedScripts(algorithm, {
  shipped: new URL("../lua/", import.meta.url),
  kernel: new URL("../../core/lua/level/", import.meta.url),
  adjust: ["granted.lua", "adjust.lua"],
});
