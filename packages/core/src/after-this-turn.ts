/**
 * Runs work once whatever has arrived by now has been looked at, where the runtime can tell (`setImmediate`); elsewhere in
 * a microtask.
 */
export const afterThisTurn: (work: () => void) => void = readImmediate();

function readImmediate(): (work: () => void) => void {
  const setImmediate: unknown = Reflect.get(globalThis, "setImmediate");
  return typeof setImmediate === "function" ? (work) => void setImmediate(work) : queueMicrotask;
}
