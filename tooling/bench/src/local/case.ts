import type { Call } from "../case.ts";

/** What is compared within one process, the peer last. */
export const GROUPS = ["memory, allowed", "denied again", "leased, 200 callers"] as const;
export type Group = (typeof GROUPS)[number];

/** A limiter that decides without asking a server each time. */
export interface LocalCase {
  readonly name: string;
  readonly group: Group;
  /** How many of its decisions make a sample that takes some tenths of a second. */
  readonly calls: number;
  /** How many callers there are at once; one where it does not say. */
  readonly callers?: number;
  /** Whether others are compared with it. */
  readonly isPeer?: boolean;
  /** Sets up whatever the call needs; `redisUrl` is a server with an empty database. */
  prepare(keys: readonly string[], redisUrl: string): Promise<Call>;
}
