const waiting: (() => void)[] = [];
let wake = (): void => {};

// begun when the module is loaded, so that it runs in the async context of no caller
void runForever();

/**
 * Runs `work` soon, outside the async context of whoever asks for it (`AsyncLocalStorage` in Node): a timer or a
 * connection that is made there keeps nothing of his alive, and calls nobody back in his name. What `work` throws is
 * an unhandled rejection.
 */
export function outsideCallers(work: () => void): void {
  waiting.push(work);
  wake();
}

/** What follows an `await` runs in the context of who awaits, whoever resolves the promise. */
async function runForever(): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    runWaiting();
  }
}

function runWaiting(): void {
  for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) void run(work);
}

/** Async, so that one that throws stops neither the others nor the loop. */
async function run(work: () => void): Promise<void> {
  work();
}
