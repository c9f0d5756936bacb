/** What is called when a signal is aborted: one listener for all, however many wait for it. */
const listening = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `abort` once a signal is aborted, unless what is returned is called before. */
export function onAbort(signal: AbortSignal | undefined, abort: () => void): () => void {
  if (signal === undefined) return () => {};
  const calls = listening.get(signal) ?? listenTo(signal);
  calls.add(abort);
  return () => {
    calls.delete(abort);
    if (calls.size > 0 || listening.get(signal) !== calls) return;
    listening.delete(signal);
    signal.removeEventListener("abort", callAll);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>();
  listening.set(signal, calls);
  signal.addEventListener("abort", callAll, { once: true });
  return calls;
}

function callAll(this: AbortSignal): void {
  const calls = listening.get(this);
  listening.delete(this);
  for (const call of calls ?? []) void run(call);
}

/** Async, so that one that throws does not keep the others from hearing of it. */
async function run(call: () => void): Promise<void> {
  call();
}
