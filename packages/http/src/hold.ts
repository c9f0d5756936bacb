/** The longest that a timer can be set for. */
const LONGEST_MS = 2 ** 31 - 1;

/** Waits for some milliseconds. Rejects with the signal's reason when it is aborted. */
export async function hold(ms: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= LONGEST_MS) await timer(Math.min(leftMs, LONGEST_MS), signal);
}

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timeout);
      reject(signal.reason);
    };
    const timeout = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
