import { withDeadline } from "./deadline.js";
import { StoreTimeoutError } from "./errors.js";
import type { Store } from "./store.js";
import { shown } from "./whole.js";

/** Several calls to a store, which its caller sees as one. */
export interface SeveralCalls<T> {
  readonly store: Store;
  readonly limiterName: string;
  /** Whether any of them charges anything. */
  readonly counts: boolean;
  readonly work: () => Promise<T>;
  /** Gets what comes of them too late. */
  readonly abandoned?: ((late: T) => void) | undefined;
}

/** Gives several calls the time of one. */
export function inTimeOfOne<T>({ store, limiterName, counts, work, abandoned }: SeveralCalls<T>): Promise<T> {
  const { timeoutMs } = store;
  if (timeoutMs === undefined) return work();
  const late = (): StoreTimeoutError =>
    new StoreTimeoutError(
      `limiter ${shown(limiterName)}: the store did not answer all that was asked within ${timeoutMs} ms`,
      { mayHaveCounted: counts, limiterName },
    );
  return withDeadline({ work, timeoutMs, late, abandoned });
}
