import type { Kernel } from "./algorithm-definition.js";
import { named, type Script, writeDecideScript } from "./script.js";

/** A script that decides on several limits, and the algorithms in it, in the order in which it numbers them. */
export interface DecideScript {
  readonly script: Script;
  readonly kernels: readonly Kernel[];
}

const made = new Map<string, DecideScript>();

/** The script for these algorithms. It is made once for each set of them, whatever their order and number. */
export function decideScript(asked: readonly Kernel[]): DecideScript {
  const kernels = [...new Set(asked)].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const set = kernels.map(nameOf).join();
  let found = made.get(set);
  if (found === undefined || found.kernels.some((kernel, i) => kernel !== kernels[i])) {
    found = { script: named(writeDecideScript(kernels)), kernels };
    made.set(set, found);
  }
  return found;
}

function nameOf({ tag, version }: Kernel): string {
  return `${tag}.${version}`;
}
