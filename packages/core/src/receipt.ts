import type { Numbers } from "./algorithm-definition.js";
import { InvalidKeyError } from "./errors.js";
import { perProcess } from "./per-process.js";
import { isWhole, shown } from "./whole.js";

/** A receipt, read: who issued it, and the facts that the grant left behind. */
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

/** The receipt for a grant of `taken` units that left these facts behind. */
export function writeReceipt(taken: number, granted: Numbers): string {
  return `${issue.issuer}.${issue.serial++}.${taken}.${granted.join(".")}`;
}

const RECEIPT = /^[a-z0-9]+(?:\.\d+){2,}$/;

/** @throws InvalidKeyError for what is no receipt with that many facts */
export function readReceipt(limiterName: string, receipt: string, factCount: number): Receipt {
  const [issuer = "", ...digits] = RECEIPT.test(receipt) ? receipt.split(".") : [];
  const [serial, taken, ...granted] = digits.map(Number);
  if (granted.length === factCount && isWhole(serial, 0) && isWhole(taken, 1) && granted.every(isFact)) {
    return { issuer, serial, taken, granted };
  }
  throw new InvalidKeyError(
    `limiter ${shown(limiterName)}: the receipt must be one that this limiter gave, got ${shown(receipt)}`,
  );
}

function isFact(number: number): boolean {
  return isWhole(number, 0);
}
