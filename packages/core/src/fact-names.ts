import type { Kernel } from "./algorithm-definition.js";

/** The names of a kernel's facts, in order. */
export function factNames({ facts, state }: Pick<Kernel, "facts" | "state">): readonly string[] {
  return facts ?? state;
}
