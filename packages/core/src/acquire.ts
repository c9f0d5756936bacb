import { alarmAt } from "./alarm.js";
import { isNever, readAcquire } from "./ask.js";
import type { Decision } from "./decision.js";
import { NeverAllowedError, QueueFullError, WaitTimeoutError } from "./errors.js";
import { foreseenWaitMs } from "./foresight.js";
import { encodeKey } from "./key.js";
import type { AcquireOptions, Key, Limiter } from "./limiter.js";
import type { Member } from "./members.js";
import { onAbort } from "./on-abort.js";
import type { Waiter } from "./waiter.js";
import { keyId, lineAt, type Place } from "./waiting-lines.js";
import { shown } from "./whole.js";

/** What somebody waits for, and how it is had. */
export interface Wanted<Granted extends Decision>
  extends Pick<Waiter, "asks" | "maxWaiters" | "foresee" | "deniedBy"> {
  /** Names the limiter, for messages. */
  readonly whose: string;
  readonly place: Place;
  readonly signal: AbortSignal | undefined;
  readonly maxWaitMs: number;
  /** Is told by when it has to be granted, by `performance.now()`. */
  attempt(deadlineMs: number): Promise<Granted>;
  giveBack(decision: Granted): Promise<void>;
  /** Whether a decision that somebody else was granted is one of this limiter too. */
  isOwn(decision: Decision): decision is Granted;
}

/** Waits in line until it is granted. Leaves no timer and no listener behind. */
export function acquire<Granted extends Decision>(wanted: Wanted<Granted>): Promise<Granted> {
  const { whose, place, signal, maxWaitMs } = wanted;
  return new Promise((resolve, reject) => {
    const line = lineAt(place);
    const deadlineMs = performance.now() + maxWaitMs;
    let cancelAlarm: (() => void) | undefined;
    const stopListening = onAbort(signal, () => {
      end(() => reject(signal?.reason));
      line.leave(waiter);
    });
    const end = (settle: () => void): void => {
      cancelAlarm?.();
      stopListening();
      settle();
    };
    const timeout = (waitMs: number): void =>
      end(() =>
        reject(
          new WaitTimeoutError(
            `${whose}: waiting would take ${Math.ceil(waitMs)} ms or more, and maxWaitMs is ${maxWaitMs}`,
          ),
        ),
      );
    const own = (decision: Decision): Granted => {
      if (wanted.isOwn(decision)) return decision;
      throw new TypeError(`${whose}: granted a decision of ${decision.name}`);
    };
    const waiter: Waiter = {
      asks: wanted.asks,
      maxWaiters: wanted.maxWaiters,
      deadlineMs,
      attempt: inOwnContext(() => wanted.attempt(deadlineMs)),
      foresee: (granted) => wanted.foresee(granted),
      deniedBy: (denied) => wanted.deniedBy?.(denied),
      giveBack: (decision) => wanted.giveBack(own(decision)),
      granted: (decision) => end(() => resolve({ ...own(decision), delayMs: 0 })),
      tooLong: (waitMs) =>
        waitMs === Number.POSITIVE_INFINITY ? end(() => reject(never(whose))) : timeout(waitMs),
      full: () => end(() => reject(full(whose, wanted.maxWaiters))),
      failed: (error) => end(() => reject(error)),
    };
    if (maxWaitMs !== Number.POSITIVE_INFINITY) {
      cancelAlarm = alarmAt(deadlineMs, () => {
        if (line.isDeciding(waiter)) return;
        timeout(performance.now() - deadlineMs + maxWaitMs);
        line.leave(waiter);
      });
    }
    line.join(waiter);
  });
}

/**
 * Waits until a limiter allows a call.
 *
 * @throws InvalidKeyError, InvalidCostError, NeverAllowedError, WaitTimeoutError, QueueFullError, StoreError
 */
export async function acquireOne<Name extends string>(
  limiter: Pick<Limiter<Name>, "name" | "consume" | "peek">,
  { limit, store, maxWaiters, giveBack }: Pick<Member, "limit" | "store" | "maxWaiters" | "giveBack">,
  key: Key,
  options: AcquireOptions,
): Promise<Decision<Name>> {
  const { name } = limiter;
  const whose = `limiter ${shown(name)}`;
  const encoded = encodeKey(name, key);
  const { request, maxWaitMs } = readAcquire(name, options);
  const { signal } = options;
  if (signal?.aborted) throw signal.reason;
  if (!limit.perKey && isNever(request, limit.limit)) throw never(whose);
  const { cost, least, reserve } = request;
  return acquire<Decision<Name>>({
    whose,
    place: { store, keyIds: [keyId(limit, encoded)] },
    asks: `${limit.params}/${cost}/${least}/${reserve}`,
    maxWaiters,
    maxWaitMs,
    signal,
    async attempt(deadlineMs) {
      if (limit.kernel.queues && deadlineMs < Number.POSITIVE_INFINITY) {
        // a slot that would be too late is not taken: once others have queued up behind, it could not be given back
        const slot = await limiter.peek(key, { cost: least, reserve });
        if (slot.delayMs > deadlineMs - performance.now()) return slot;
      }
      return limiter.consume(key, { cost, atLeast: least, reserve });
    },
    foresee: (granted) => ({ waitMs: foreseenWaitMs(limit, granted, request), by: undefined }),
    giveBack,
    isOwn: (decision): decision is Decision<Name> => decision.name === name || decision.source === "fallback",
  });
}

/** Work that is done in the async context of whoever calls this, whoever has it done, and as often as that may be. */
function inOwnContext<T>(work: () => Promise<T>): () => Promise<T> {
  let begin = (): void => {};
  let next: Promise<T>;
  // what follows a promise runs in the context of who said what follows
  const arm = (): void => {
    next = new Promise<void>((resolve) => {
      begin = resolve;
    }).then(() => {
      arm();
      return work();
    });
  };
  arm();
  return () => {
    const present = next;
    begin();
    return present;
  };
}

/** What a caller is told who asks for what no limit will ever allow. */
export function never(whose: string): NeverAllowedError {
  return new NeverAllowedError(`${whose}: this can never be allowed: it asks for more than the limit`);
}

function full(whose: string, maxWaiters: number): QueueFullError {
  return new QueueFullError(
    `${whose}: ${maxWaiters} already wait for this key in this process, which is maxWaiters`,
  );
}
