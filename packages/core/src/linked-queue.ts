/** What can be in a queue; in one at most. The links are the queue's. */
export interface Linked<T> {
  isQueued: boolean;
  before: T | undefined;
  after: T | undefined;
}

/**
 * Items in the order in which they came, each of which may leave whenever it likes. In place of a `Set`, which makes new
 * tables when items come and go: V8 lets old tables keep the newer ones alive, so all of them outlive a collection.
 */
export class LinkedQueue<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;

  get first(): T | undefined {
    return this.#first;
  }

  add(item: T): void {
    item.isQueued = true;
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
  }

  /** Whether it was there. */
  remove(item: T): boolean {
    if (!item.isQueued) return false;
    const { before, after } = item;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    item.isQueued = false;
    item.before = undefined;
    item.after = undefined;
    return true;
  }
}
