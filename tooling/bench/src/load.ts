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
