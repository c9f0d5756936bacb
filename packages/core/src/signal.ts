/**
 * Settles as `work` does, or rejects with the signal's own reason as soon as it is aborted. `abandoned` gets what
 * the work brings after that. No listener is left behind.
 */
export function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  abandoned: (late: T) => void,
): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason);
      work.then(abandoned, () => {});
    };
    signal.addEventListener("abort", abort, { once: true });
    // before it settles: an abort after that must not abandon what the caller has
    const stopListening = (): void => signal.removeEventListener("abort", abort);
    work.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (error: unknown) => {
        stopListening();
        reject(error);
      },
    );
  });
}
