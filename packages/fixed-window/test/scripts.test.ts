import { proveShippedScripts } from "@sluice/algorithm-proof";
import { algorithm } from "../src/fixed-window.js";

proveShippedScripts(algorithm, { shipped: new URL("../lua/", import.meta.url) });
