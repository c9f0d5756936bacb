import type { Numbers } from "./algorithm-definition.js";
import { dotNumber, THREE_DIGITS } from "./dot-number.js";
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
  // no template: V8 would ask of each part whether it is text
  let receipt = nextNumber() + kindOf(tag, taken);
  for (let i = 0; i < granted.length; i++) receipt += factText(i, granted[i] ?? 0);
  return receipt;
}

/** The issuer and all but the last three digits of the number, for a thousand receipts. */
let begun = { head: -1, text: "" };

function nextNumber(): string {
  const serial = issue.serial++;
  const head = Math.floor(serial / 1_000);
  if (head !== begun.head) begun = { head, text: `${issue.issuer}.${head}` };
  return begun.text + THREE_DIGITS[serial - head * 1_000];
}

/** What the last receipt was for: most often it is what the next is for. */
let last = { tag: "", taken: 0, text: "" };

function kindOf(tag: string, taken: number): string {
  if (tag !== last.tag || taken !== last.taken) last = { tag, taken, text: `.${tag}${dotNumber(taken)}` };
  return last.text;
}

/** The facts of the last receipt: some are those of the next, as its date within a millisecond. */
const lastFacts: number[] = [];
const lastTexts: string[] = [];

function factText(index: number, fact: number): string {
  if (lastFacts[index] === fact) return lastTexts[index] ?? "";
  const text = dotNumber(fact);
  lastFacts[index] = fact;
  lastTexts[index] = text;
  return text;
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
