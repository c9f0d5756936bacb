/** Settles as `work` does, or rejects with what `late` makes once `timeoutMs` have passed. Leaves no timer behind. */
export function withDeadline<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), timeoutMs);
    work.then(
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
