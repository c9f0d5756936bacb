import type { Topic } from "./check.ts";
import { crowdTopic } from "./crowds.ts";
import { expiry } from "./expiry.ts";
import { faults } from "./faults.ts";
import { oddKeys } from "./odd-keys.ts";
import { promises } from "./promises.ts";
import { refusals } from "./refusals.ts";
import { traces } from "./traces.ts";
import { vanishingScripts } from "./vanishing-scripts.ts";

/** All that a store must do, in the order in which it is told. */
export const TOPICS: readonly Topic[] = [
  promises,
  traces,
  refusals,
  oddKeys,
  crowdTopic,
  vanishingScripts,
  faults,
  expiry,
];
