import { InvalidKeyError } from "@sluice/core";

/** A request does not tell whom it comes from. Its message says what to set. */
export class NoAddressError extends InvalidKeyError {
  override readonly name: string = "NoAddressError";
}
