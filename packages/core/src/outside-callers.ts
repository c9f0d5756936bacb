let wake = (): void => {};
const waiting: (() => void)[] = [];

/**
 * Runs work soon, outside of the async context of whoever asks for it: what it starts, such as a timer, then retains
 * nothing of theirs. It must not throw.
 */
export function outsideCallers(work: () => void): void {
  waiting.push(work);
  wake();
}

/** Begun when this module is loaded: what follows an `await` runs in the context of the function that it is in. */
async function runWaiting(): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (const work of waiting.splice(0)) work();
  }
}

void runWaiting();
