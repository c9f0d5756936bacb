/** Run by the conformance kit: a crowd of which each counts in its own memory. */
import { memoryStore } from "@sluice/core";
import { joinCrowd } from "../src/crowd.ts";

await joinCrowd(() => ({ store: memoryStore(), close() {} }));
