import { InvalidPolicyError } from "@sluice/core";
import { shown } from "./checks.js";
import type { Field } from "./field.js";
import type { ProblemBodyOptions } from "./problem.js";
import type { ProblemDetails } from "./problem-details.js";

/** A response that refuses a request, in parts. */
export interface Refusal {
  readonly status: 429 | 503;
  /** `Content-Type` and `Cache-Control`: it must not be stored by a cache (RFC 6585). */
  readonly headers: readonly Field[];
  readonly body: string;
  /** What it says. */
  readonly details: ProblemDetails;
}

export function refusalOf(details: ProblemDetails, { body, contentType }: ProblemBodyOptions): Refusal {
  const headers = [
    { name: "Content-Type", value: typeOf(body, contentType) },
    { name: "Cache-Control", value: "no-store" },
  ];
  return { status: details.status, headers, body: textOf(details, body), details };
}

function typeOf(body: ProblemBodyOptions["body"], contentType = "application/json"): string {
  if (typeof body === "function") return contentType;
  return body === "text" ? "text/plain;charset=utf-8" : "application/problem+json";
}

function textOf(details: ProblemDetails, body: ProblemBodyOptions["body"]): string {
  if (typeof body === "function") {
    const text: unknown = body(details);
    if (typeof text === "string") return text;
    throw new InvalidPolicyError(`rateLimit: the function body must return a text, got ${shown(text)}`);
  }
  return body === "text" ? details.detail : JSON.stringify(details);
}
