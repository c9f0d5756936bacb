import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RedisServer } from "@sluice/redis-server";

const run = promisify(execFile);

/** Runs the server such that its instructions are counted. */
export const CALLGRIND: readonly string[] = [
  "valgrind",
  "--tool=callgrind",
  "--callgrind-out-file=callgrind.out",
];

/** Valgrind's own name for its version; undefined where it is missing, or what controls it. */
export function valgrindVersion(): string | undefined {
  const [version, control] = ["valgrind", "callgrind_control"].map((program) =>
    spawnSync(program, ["--version"], { encoding: "utf8" }),
  );
  return version?.status === 0 && control?.status !== null && control?.error === undefined
    ? version.stdout.trim()
    : undefined;
}

/** How many instructions a server that runs under callgrind executes while `work` is done. */
export async function countInstructions(server: RedisServer, work: () => Promise<void>): Promise<number> {
  await run("callgrind_control", ["-z", String(server.pid)]);
  await work();
  await run("callgrind_control", ["-d", String(server.pid)]);
  return readInstructions(newestDump(server.folder));
}

/** A dump is called `callgrind.out`, a dot, and its number. */
function newestDump(folder: string): string {
  const numbers = readdirSync(folder).map((name) => Number(/^callgrind\.out\.(\d+)$/.exec(name)?.[1] ?? 0));
  const newest = Math.max(0, ...numbers);
  if (newest === 0) throw new Error("callgrind wrote no dump");
  return readFileSync(join(folder, `callgrind.out.${newest}`), "utf8");
}

/**
 * The instructions of a dump, from its line `totals:`, or `summary:` where there is none.
 *
 * @see https://valgrind.org/docs/manual/cl-format.html
 */
export function readInstructions(dump: string): number {
  const events = /^events:[ \t]*(\S+)/m.exec(dump)?.[1];
  const line = /^totals:[ \t]*(\d+)/m.exec(dump) ?? /^summary:[ \t]*(\d+)/m.exec(dump);
  if (events !== "Ir" || line === null)
    throw new Error("this is no complete dump of callgrind with Ir first");
  return Number(line[1]);
}
