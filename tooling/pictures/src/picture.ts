import { join } from "node:path";
import { ROOT } from "../../../scripts/root.js";
import { decideTraffic } from "./decide.ts";
import { drawFlatLine } from "./flat-line.ts";
import { draw } from "./svg.ts";
import { TRAFFIC_MS } from "./traffic.ts";

/** A picture of the documentation, and where it is kept. */
export interface Picture {
  name: string;
  path: string;
  /** The picture as it should be. */
  draw(): Promise<string>;
}

/** All limiters under the same traffic, and three workers under one. */
export const PICTURES: readonly Picture[] = [
  pictureOf("algorithms", async () => draw(TRAFFIC_MS, await decideTraffic())),
  pictureOf("flat-line", drawFlatLine),
];

function pictureOf(name: string, draw: () => Promise<string>): Picture {
  return { name, path: join(ROOT, "docs/pictures", `${name}.svg`), draw };
}
