import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findServer } from "./find-server.ts";

/** The arguments that allow `DEBUG`, which a server does without being asked before 7.0. */
export async function debugArgs(): Promise<readonly string[]> {
  return (await majorVersion()) < 7 ? [] : ["--enable-debug-command", "yes"];
}

async function majorVersion(): Promise<number> {
  const { stdout } = await promisify(execFile)(await findServer(), ["--version"]);
  const major = /\bv=(\d+)\./.exec(stdout)?.[1];
  if (major === undefined) throw new Error(`a server without a version:\n${stdout}`);
  return Number(major);
}
