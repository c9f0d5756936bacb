import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { RedisStoreOptions, Store } from "@sluice/core";
import { ALGORITHMS } from "./algorithms.ts";
import { KEY, LONG_MS } from "./usage.ts";

/** What the processes of a crowd are granted in all. */
export const CROWD_LIMIT = 100;
const PROCESSES = 3;
const CALLS_A_PROCESS = 70;
const TIMEOUT_MS = 8_000;

/** By the algorithm's title, what remained after each grant. */
export type CrowdReport = Record<string, number[]>;

/** A store in a process of its own. */
export interface OpenedStore {
  readonly store: Store;
  /** Lets go of what would keep the process alive. */
  close(): void;
}

/**
 * All that the program of a candidate calls: some processes open the store, wait for one another, and consume at once.
 * Prints what they were granted.
 *
 * @param open is told the arguments that the candidate gave its program
 */
export async function joinCrowd(
  open: (options: RedisStoreOptions, ...args: string[]) => OpenedStore | Promise<OpenedStore>,
): Promise<void> {
  const [program = "", prefix = "", ...args] = process.argv.slice(1);
  const leads = process.send === undefined;
  const others = leads ? Array.from({ length: PROCESSES - 1 }, () => fork(program, [prefix, ...args])) : [];
  const ready = Promise.all(others.map(nextMessage));
  const { store, close } = await open({ prefix, timeoutMs: TIMEOUT_MS }, ...args);
  const member = await memberOf(store);
  if (leads) {
    await ready;
    console.log(JSON.stringify(await lead(others, member)));
  } else {
    await follow(member);
  }
  close();
}

/** Lets the others and this process go at once, and adds up what they report. */
async function lead(
  others: readonly ChildProcess[],
  member: () => Promise<CrowdReport>,
): Promise<CrowdReport> {
  const reports = others.map(nextMessage);
  for (const other of others) other.send("go");
  const total: CrowdReport = {};
  for (const report of await Promise.all([member(), ...reports])) {
    for (const [title, remaining] of Object.entries(report)) {
      total[title] = [...(total[title] ?? []), ...remaining];
    }
  }
  return total;
}

/** What it says next; where it ends without a word, so does this process. */
async function nextMessage(other: ChildProcess): Promise<CrowdReport> {
  other.once("exit", (code) => code === 0 || process.exit(1));
  const [message] = await once(other, "message");
  return message;
}

/** Consumes when it is told to. */
async function follow(member: () => Promise<CrowdReport>): Promise<void> {
  // whoever led is gone, and nobody waits for an answer
  const exit = (): never => process.exit();
  process.once("disconnect", exit);
  process.send?.("ready");
  await once(process, "message");
  process.send?.(await member());
  process.off("disconnect", exit);
  process.disconnect();
}

/** One of the crowd, who is connected and about to consume. */
async function memberOf(store: Store): Promise<() => Promise<CrowdReport>> {
  const limiters = ALGORITHMS.map(({ title, make }, index) => ({
    title,
    limiter: make({ name: `crowd-${index}`, store, limit: CROWD_LIMIT, windowMs: LONG_MS }),
  }));
  await limiters[0]?.limiter.peek(KEY);
  return async () => {
    const granted = limiters.map(async ({ title, limiter }) => {
      const decisions = await Promise.all(
        Array.from({ length: CALLS_A_PROCESS }, () => limiter.consume(KEY)),
      );
      const allowed = decisions.filter((decision) => decision.allowed);
      return [title, allowed.map(({ remaining }) => remaining)] as const;
    });
    return Object.fromEntries(await Promise.all(granted));
  };
}
