import { HttpException } from "@nestjs/common";
import type { AnyDecision, ProblemDetails, Refused } from "@sluice/http";
import { RefusalBody } from "./refusal-body.js";

/**
 * A request was denied: status 429, or 503 where the store failed. Without a filter of yours it is answered by what the option
 * `body` says.
 *
 * `getResponse()` is what Nest sends. To whoever reads it it is the details of the problem, whatever the body.
 */
export class RateLimitedException extends HttpException {
  override readonly name = "RateLimitedException";
  /** Undefined where the store failed, and `onStoreFailure` of the options denies. */
  readonly decision: AnyDecision | undefined;
  /** Why, as RFC 9457 has it. */
  readonly details: ProblemDetails;

  constructor({ decision, refusal }: Pick<Refused, "decision" | "refusal">) {
    super(new RefusalBody(refusal), refusal.status);
    this.message = refusal.details.detail;
    this.decision = decision;
    this.details = refusal.details;
  }
}
