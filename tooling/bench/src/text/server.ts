import type { Bytes } from "../bytes.ts";
import type { Instructions } from "../instructions.ts";
import { table, whole } from "./table.ts";

export function instructionsText(results: readonly Instructions[]): string {
  const head = ["server instructions a call", "one at a time", "64 at once", "at most"];
  const rows = results.map((one) => [
    one.case,
    whole(one.oneAtATime),
    whole(one.sixtyFourAtOnce),
    one.atMost === undefined ? "" : `${whole(one.atMost)}${one.oneAtATime > one.atMost ? " missed" : ""}`,
  ]);
  return table(head, rows);
}

export function bytesText(results: readonly Bytes[]): string {
  const rows = results.map((one) => [one.case, whole(one.bytesPerKey), one.key]);
  return table(["MEMORY USAGE", "bytes a key", "key"], rows);
}
