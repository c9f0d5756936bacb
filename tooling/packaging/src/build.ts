import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../../scripts/root.js";
import { output } from "./process.ts";

const LOCK = join(ROOT, "node_modules", ".build-lock");
/** A lock this old was left by a process that was killed. */
const LOCK_MAX_AGE_MS = 120_000;
const POLL_EVERY_MS = 100;

/**
 * Builds the public packages, which takes a moment when nothing has changed. Test files that need it may call
 * it at the same time: one builds and the others wait.
 */
export async function build(): Promise<void> {
  while (!tryLock()) await sleep(POLL_EVERY_MS);
  try {
    await output(process.execPath, ["scripts/turbo.js", "build"], ROOT);
  } finally {
    unlock();
  }
}

/** A folder can be made once: whoever makes it has the lock. */
function tryLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const madeAtMs = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - madeAtMs > LOCK_MAX_AGE_MS) unlock();
    return false;
  }
}

function unlock(): void {
  rmSync(LOCK, { recursive: true, force: true });
}
