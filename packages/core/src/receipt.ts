import type { Numbers } from "./algorithm-definition.js";
import { InvalidKeyError } from "./errors.js";
import { perProcess } from "./per-process.js";
import { isWhole, shown } from "./whole.js";

/** A receipt, read: who issued it, and the state that the grant left behind. */
export interface Receipt {
  readonly issuer: string;
  readonly serial: number;
  readonly taken: number;
  readonly granted: Numbers;
}

/** Numbers the receipts of this process; the random part tells processes apart. */
const issue: { issuer: string; serial: number } = perProcess("receipt-issuer", 1, () => ({
  issuer: randomDigits() + randomDigits(),
  serial: 0,
}));

function randomDigits(): string {
  return Math.floor(Math.random() * 36 ** 6).toString(36);
}

/** The receipt for a grant of `taken` units that left this state behind. */
export function writeReceipt(taken: number, granted: Numbers): string {
  return `${issue.issuer}.${issue.serial++}.${taken}.${granted.join(".")}`;
}

/** @throws InvalidKeyError for what is no receipt of an algorithm with that many numbers of state */
export function readReceipt(limiterName: string, receipt: string, stateLength: number): Receipt {
  const [issuer = "", ...rest] = receipt.split(".");
  const numbers = rest.map(Number);
  const [serial, taken, ...granted] = numbers;
  if (
    granted.length !== stateLength ||
    !isWhole(serial, 0) ||
    !isWhole(taken, 1) ||
    !granted.every((number) => isWhole(number, 0))
  ) {
    throw new InvalidKeyError(
      `limiter ${shown(limiterName)}: the receipt must be one that this limiter gave, got ${shown(receipt)}`,
    );
  }
  return { issuer, serial, taken, granted };
}
