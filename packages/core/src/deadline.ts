/** Whether a deadline has passed. */
export type IsLate = () => boolean;

/**
 * Settles as the work does, or rejects with what `late` makes once `timeoutMs` have passed. The work may ask whether
 * that is so before it goes on. Leaves no timer behind.
 */
export function withDeadline<T>(
  work: (isLate: IsLate) => Promise<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(late());
    }, timeoutMs);
    work(() => isLate).then(
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
