import type { Store } from "@sluice/core";

/** What a store must have and a proof of one algorithm does not use. */
export const UNUSED: Pick<
  Store,
  "isLocal" | "multiKey" | "decideAll" | "block" | "setPolicy" | "getPolicy" | "health"
> = {
  isLocal: true,
  multiKey: true,
  decideAll: unused,
  block: unused,
  setPolicy: unused,
  getPolicy: unused,
  health: unused,
};

function unused(): never {
  throw new Error("a proof of one limit asks for nothing else");
}
