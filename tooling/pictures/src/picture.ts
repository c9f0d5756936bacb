import { join } from "node:path";
import { ROOT } from "../../../scripts/root.js";
import { decideTraffic } from "./decide.ts";
import { draw } from "./svg.ts";
import { TRAFFIC_MS } from "./traffic.ts";

/** Where the picture of all limiters under the same traffic is kept. */
export const PICTURE_PATH: string = join(ROOT, "docs/pictures/algorithms.svg");

/** The picture as it should be. */
export async function picture(): Promise<string> {
  return draw(TRAFFIC_MS, await decideTraffic());
}
