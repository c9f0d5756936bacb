/** The moment at which a caller stops waiting, as the work for him sees it. */
export interface Deadline {
  readonly isPast: boolean;
  /** Called when it passes, unless the work has settled before. */
  onPast: (() => void) | undefined;
}

/**
 * Settles as the work does, or rejects with what `late` makes once `timeoutMs` have passed. The work may ask whether
 * that is so before it goes on. Leaves no timer behind.
 */
export function withDeadline<T>(
  work: (deadline: Deadline) => Promise<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline: { isPast: boolean; onPast: (() => void) | undefined } = {
      isPast: false,
      onPast: undefined,
    };
    const timer = setTimeout(() => {
      deadline.isPast = true;
      deadline.onPast?.();
      reject(late());
    }, timeoutMs);
    work(deadline).then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
