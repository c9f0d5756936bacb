import { onAbort } from "./on-abort.js";

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
    const stopListening = onAbort(signal, () => {
      reject(signal.reason);
      work.then(abandoned, () => {});
    });
    // before it settles: an abort after that must not abandon what the caller has
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
