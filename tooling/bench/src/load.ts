import type { Call } from "./case.ts";

/** Makes `calls` calls; each of `callers` waits for its own to be answered before it makes the next. */
export async function makeCalls(call: Call, calls: number, callers: number): Promise<void> {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

/** The same, and how long each call took, in milliseconds, the shortest first. */
export async function timeCalls(call: Call, calls: number, callers: number): Promise<Float64Array> {
  const tookMs = new Float64Array(calls);
  let answered = 0;
  const timed = async (): Promise<void> => {
    const startMs = performance.now();
    await call();
    tookMs[answered++] = performance.now() - startMs;
  };
  await makeCalls(timed, calls, callers);
  return tookMs.sort();
}

/** The value that `share` of the values lie at or below; they are sorted. */
export function quantile(sorted: Float64Array, share: number): number {
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error("no values, no quantile");
  return value;
}
