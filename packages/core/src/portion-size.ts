import type { LeaseTerms } from "./lease-options.js";
import { MAX_EXACT } from "./whole.js";

/** A portion takes at most this part of what the store had left when last asked: the last units are not hoarded. */
const SHARE_OF_REMAINING = 1 / 10;

/** How many units the next portion of one key has. */
export class PortionSize {
  readonly #fixed: number | undefined;
  readonly #maxHoldMs: number;
  #wanted = 1;
  #remaining = 0;

  constructor({ size, maxHoldMs }: LeaseTerms) {
    this.#fixed = size;
    this.#maxHoldMs = maxHoldMs;
  }

  /** As many whole portions as serve all who wait for `units`: after them less than one portion is held. */
  serving(units: number): number {
    const size =
      this.#fixed ?? Math.max(1, Math.min(this.#wanted, Math.floor(this.#remaining * SHARE_OF_REMAINING)));
    return Math.ceil(units / size) * size;
  }

  /** What the store has left, as it last said. */
  noteRemaining(remaining: number): void {
    this.#remaining = remaining;
  }

  /** A portion was used up: one that was not held for half of its time may be larger. */
  usedUp(afterMs: number): void {
    if (afterMs < this.#maxHoldMs / 2) this.#wanted = Math.min(this.#wanted * 2, MAX_EXACT);
  }

  /** Part of a portion was not used in time: as much as was used would have done. */
  cameBack(used: number): void {
    this.#wanted = Math.max(1, Math.min(this.#wanted, used));
  }
}
