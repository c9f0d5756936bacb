import { type ByName, holderOf, type Key, type Waitable, type WaitableComposite } from "@sluice/core";
import {
  type CommonFetchOptions,
  type CompositeFetchOptions,
  type LimitedFetchOptions,
  readOptions,
  type Saying,
  type SayingOptions,
} from "./options.js";
import { type Acquirable, takeTurn } from "./take-turn.js";
import { toldToHoldMs } from "./told-to-hold.js";

/**
 * Makes a `fetch` of which each request waits until a limiter allows it. A response of 429 or 503 that says when to come
 * back has the key held for so long, for every process that shares the store. It is returned all the same: nothing is
 * sent twice.
 *
 * @param limiter made with `blockFor`, such as `"by-hand"`; of a composite at least one limit
 * @example
 * ```ts
 * import { limitedFetch } from "@sluice/fetch";
 * import { leakyBucket } from "@sluice/leaky-bucket";
 *
 * const leak = { tokens: 2, every: "1s" };
 * const perHost = leakyBucket({ name: "crawl", leak, capacity: 100, blockFor: "by-hand" });
 * const politely = limitedFetch(perHost, { key: (url) => url.host, maxWaitMs: 60_000 });
 * const response = await politely("https://example.org/");
 * console.log(response.status); // 200
 * ```
 * @throws InvalidPolicyError for a limiter without `blockFor`, and for wrong options. What it returns throws what `acquire`
 * throws, and then has sent nothing, and what `fetch` throws.
 */
export function limitedFetch<Name extends string>(
  limiter: WaitableComposite<Name>,
  options: CompositeFetchOptions<Name>,
): typeof fetch;
export function limitedFetch<Name extends string>(
  limiter: Waitable<Name>,
  options: LimitedFetchOptions,
): typeof fetch;
export function limitedFetch<AnyKey extends Key | ByName<string, Key>, Cost extends Told, Reserve, Granted>(
  limiter: Acquirable<AnyKey, Cost, Reserve, Granted>,
  options: CommonFetchOptions & SayingOptions<AnyKey, Cost, Reserve>,
): typeof fetch {
  const holder = holderOf(limiter);
  const { reserve, maxWaitMs, maxHoldMs, refundOn, ...said } = readOptions(options);
  return async (input, init) => {
    const key = told(said.key, input, init);
    const cost = told(said.cost, input, init);
    const asked = { cost, reserve, signal: signalOf(input, init), maxWaitMs };
    const decision = await takeTurn(limiter, holder, key, asked);
    // what came of the request matters more than a unit or a hold that a failing store loses
    const refundIf = async (outcome: unknown, hasThrown: boolean): Promise<void> => {
      if (refundOn?.(outcome, hasThrown)) await limiter.refund(decision).catch(() => {});
    };
    let response: Response;
    try {
      response = await (said.fetch ?? fetch)(input, init);
    } catch (error) {
      await refundIf(error, true).catch(() => {});
      throw error;
    }
    const holdMs = Math.min(toldToHoldMs(response, Date.now()), Math.ceil(maxHoldMs), LONGEST_MS);
    if (holdMs > 0) await holder.hold(key, holdMs).catch(() => {});
    await refundIf(response, false);
    return response;
  };
}

/** For how long a key can be blocked. */
const LONGEST_MS = 2 ** 52;

type Told = number | object | undefined;
type Input = Parameters<typeof fetch>[0];

function told<Value extends string | Told>(
  saying: Saying<Value>,
  input: Input,
  init: RequestInit | undefined,
): Value {
  return typeof saying === "function" ? saying(urlOf(input), init) : saying;
}

/** A relative address is one of the page, as it is for `fetch`, where there is a page. */
function urlOf(input: Input): URL {
  if (input instanceof URL) return new URL(input);
  return new URL(typeof input === "string" ? input : input.url, globalThis.location?.href);
}

/** The signal that `fetch` itself would obey: that of `init`, even if it is null, before that of a Request. */
function signalOf(input: Input, init: RequestInit | undefined): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined;
  return typeof input === "string" || input instanceof URL ? undefined : input.signal;
}
