import type { Request } from "./ask.js";
import type { Decision } from "./decision.js";

/** A call that a portion shall serve. */
export interface LeaseCall<Name extends string> {
  readonly request: Request;
  /** Whether what is on its way was asked for it too. */
  isAsked: boolean;
  /** Whether its caller waits no longer. */
  hasLeft: boolean;
  granted(decision: Decision<Name>): void;
  failed(error: unknown): void;
}

/** The calls that wait for a portion, in order of arrival. */
export class LeaseLine<Name extends string> {
  /** No Set: what its table leaves behind as it grows and shrinks costs more than all else. */
  #waiting: LeaseCall<Name>[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get first(): LeaseCall<Name> | undefined {
    return this.#waiting[0];
  }

  join(call: LeaseCall<Name>): void {
    this.#waiting.push(call);
  }

  /** All who still wait are asked for from now on; returns how many units that takes. */
  ask(): number {
    this.#waiting = this.#waiting.filter(({ hasLeft }) => !hasLeft);
    let units = 0;
    for (const call of this.#waiting) {
      call.isAsked = true;
      units += call.request.cost;
    }
    return units;
  }

  /** Settles the calls that are chosen and have not been left; the others wait on. */
  end(chosen: (call: LeaseCall<Name>) => boolean, settle: (call: LeaseCall<Name>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const others: LeaseCall<Name>[] = [];
    for (const call of waiting) {
      if (call.hasLeft) continue;
      if (chosen(call)) settle(call);
      else others.push(call);
    }
    // some may have come meanwhile
    this.#waiting = others.concat(this.#waiting);
  }
}
