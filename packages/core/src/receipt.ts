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

/** The receipt for a grant of `taken` units that left these facts behind. `tag` is the algorithm's. */
export function writeReceipt(tag: string, taken: number, granted: Numbers): string {
  let receipt = `${issue.issuer}.${issue.serial++}.${tag}.${taken}`;
  for (const fact of granted) receipt += `.${fact}`;
  return receipt;
}

const RECEIPT = /^[a-z0-9]+\.\d+\.[^.]+(?:\.\d+)+$/;

/** @throws InvalidKeyError for what is no receipt of that algorithm, with that many facts */
export function readReceipt(limiterName: string, tag: string, receipt: string, factCount: number): Receipt {
  const [issuer = "", serialText, tagText, ...digits] = RECEIPT.test(receipt) ? receipt.split(".") : [];
  const serial = Number(serialText);
  const [taken, ...granted] = digits.map(Number);
  const isOwn = tagText === tag && granted.length === factCount;
  if (isOwn && isWhole(serial, 0) && isWhole(taken, 1) && granted.every(isFact)) {
    return { issuer, serial, taken, granted };
  }
  throw new InvalidKeyError(
    `limiter ${shown(limiterName)}: the receipt must be one that this limiter gave, got ${shown(receipt)}`,
  );
}

function isFact(number: number): boolean {
  return isWhole(number, 0);
}
