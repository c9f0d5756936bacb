import { membersOf } from "../src/members.js";
import type { Limit } from "../src/store.js";
import { tally } from "./tiny-algorithm.js";

/** A limit as a store sees it: of 10 units an hour. */
export function limitOf(name: string, limit = 10): Limit {
  const [member] = membersOf(tally({ name, limit, window: "1h" })) ?? [];
  if (member === undefined) throw new Error("a limiter has a limit");
  return member.limit;
}
