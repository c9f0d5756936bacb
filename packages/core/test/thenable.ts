/** The least that can be awaited: no `Promise`, and nothing that one has beside `then`. */
export function thenable<T>(work: PromiseLike<T>): PromiseLike<T> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: that is what it is for
    then: (fulfilled, rejected) => thenable(work.then(fulfilled, rejected)),
  };
}
