import type { Decision } from "@sluice/core";
import { type AnyDecision, isUnavailable, limitsIn } from "./any-decision.js";
import { retryAfterSeconds } from "./seconds.js";

/** Why a request was refused (RFC 9457), as draft-ietf-httpapi-ratelimit-headers-11 says it. */
export interface ProblemDetails {
  type: string;
  title: string;
  status: 429 | 503;
  detail: string;
  /** The names of the limits that denied. */
  "violated-policies": string[];
}

const TYPES = "https://iana.org/assignments/http-problem-types#";

/** What a denial says: that a quota is used up or, where the store failed, that there is less capacity for a while. */
export function problemDetails(decision: AnyDecision): ProblemDetails {
  const isFailure = isUnavailable(decision);
  const denials = limitsIn(decision).filter((limit) => !limit.allowed && isUnavailable(limit) === isFailure);
  const names = denials.map(({ name }) => name);
  if (isFailure) return reducedCapacity(names, retryAfterSeconds(decision));
  return {
    type: `${TYPES}quota-exceeded`,
    title: "Quota Exceeded",
    status: 429,
    detail: `${named(names)} ${names.length === 1 ? "does" : "do"} not allow this request. ${advice(decision)}`,
    "violated-policies": names,
  };
}

/** What is said while it cannot be told what is used. */
export function reducedCapacity(names: string[], seconds: number | undefined): ProblemDetails {
  return {
    type: `${TYPES}temporary-reduced-capacity`,
    title: "Temporary Reduced Capacity",
    status: 503,
    detail: `Requests cannot be counted at present. ${tryAgain(seconds)}`,
    "violated-policies": names,
  };
}

function named(names: readonly string[]): string {
  return `The ${names.length === 1 ? "limit" : "limits"} ${names.map((name) => `"${name}"`).join(", ")}`;
}

function advice(decision: Decision): string {
  if (decision.reason === "never") return "It asks for more than can ever be given.";
  return tryAgain(retryAfterSeconds(decision));
}

function tryAgain(seconds: number | undefined): string {
  return seconds === undefined ? "" : `Try again in ${seconds} s.`;
}
