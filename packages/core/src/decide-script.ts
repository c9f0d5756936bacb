import type { Kernel } from "./algorithm-definition.js";
import { named, type Script, writeBatchScript, writeDecideScript } from "./script.js";

/** A script that decides on limits of several algorithms, and these, in the order in which it numbers them. */
export interface DecideScript {
  readonly script: Script;
  readonly kernels: readonly Kernel[];
}

/** The script that decides one call on several limits. It is made once for each set of algorithms, whatever their order. */
export const decideScript: (asked: readonly Kernel[]) => DecideScript = madeOnce(writeDecideScript);

/** The script that decides several calls, each on one limit. It is made once for each set of algorithms. */
export const batchScript: (asked: readonly Kernel[]) => DecideScript = madeOnce(writeBatchScript);

function madeOnce(write: (kernels: readonly Kernel[]) => string): (asked: readonly Kernel[]) => DecideScript {
  const made = new Map<string, DecideScript>();
  return (asked) => scriptFor(made, write, asked);
}

function scriptFor(
  made: Map<string, DecideScript>,
  write: (kernels: readonly Kernel[]) => string,
  asked: readonly Kernel[],
): DecideScript {
  const kernels = [...new Set(asked)].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const set = kernels.map(nameOf).join();
  let found = made.get(set);
  if (found === undefined || found.kernels.some((kernel, i) => kernel !== kernels[i])) {
    found = { script: named(write(kernels)), kernels };
    made.set(set, found);
  }
  return found;
}

function nameOf({ tag, version }: Kernel): string {
  return `${tag}.${version}`;
}
