import { setTimeout as sleep } from "node:timers/promises";

const POLL_EVERY_MS = 25;

/**
 * Asks again and again until there is an answer; an error counts as none yet.
 *
 * @param what is waited for, in the words of the error
 * @throws {Error} after `timeoutMs`, caused by the last error
 */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  timeoutMs = 15_000,
): Promise<T> {
  const giveUpAtMs = performance.now() + timeoutMs;
  let cause: unknown;
  while (performance.now() < giveUpAtMs) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(POLL_EVERY_MS);
  }
  throw new Error(`waited ${timeoutMs} ms in vain until ${what}`, { cause });
}

/** Waits until `holds` does. */
export async function waitUntil(
  what: string,
  holds: () => Promise<boolean>,
  timeoutMs?: number,
): Promise<void> {
  await waitFor(what, async () => (await holds()) || undefined, timeoutMs);
}

/** Whether `holds` does for all of `items`, which are asked at the same time. */
export async function every<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  return !(await Promise.all(items.map(holds))).includes(false);
}
