import { httpDateMs } from "./http-date.js";
import { rateLimitResetS } from "./rate-limit-field.js";

const SECONDS = /^\d+(?:\.\d+)?$/;
/** A number of seconds beyond this is a time since the epoch (2001), if it is not beyond the other (5138). */
const EPOCH_FROM_S = 1e9;
const EPOCH_TO_S = 1e11;

/**
 * For how long a response says to hold calls back, in whole milliseconds; 0 where it does not.
 *
 * @param nowMs by the clock of this machine: counts only where the response does not say when it was made, so that
 * clocks may differ
 */
export function toldToHoldMs(
  { status, headers }: Pick<Response, "status" | "headers">,
  nowMs: number,
): number {
  if (status !== 429 && status !== 503) return 0;
  const madeMs = httpDateMs(headers.get("date")) ?? nowMs;
  const toldMs =
    retryAfterMs(headers.get("retry-after"), madeMs) ??
    inMs(rateLimitResetS(headers.get("ratelimit"))) ??
    inMs(secondsIn(headers.get("ratelimit-reset"))) ??
    legacyResetMs(headers.get("x-ratelimit-reset"), madeMs) ??
    0;
  return Math.max(0, Math.ceil(toldMs));
}

function retryAfterMs(field: string | null, madeMs: number): number | undefined {
  const seconds = secondsIn(field);
  if (seconds !== undefined) return inMs(seconds);
  const dateMs = httpDateMs(field);
  return dateMs === undefined ? undefined : dateMs - madeMs;
}

/** `X-RateLimit-Reset` was never specified: some say for how long, others until when. */
function legacyResetMs(field: string | null, madeMs: number): number | undefined {
  const seconds = secondsIn(field);
  if (seconds === undefined || seconds > EPOCH_TO_S) return undefined;
  return seconds > EPOCH_FROM_S ? seconds * 1000 - madeMs : seconds * 1000;
}

function secondsIn(field: string | null): number | undefined {
  const text = field?.trim() ?? "";
  return SECONDS.test(text) ? Number(text) : undefined;
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
