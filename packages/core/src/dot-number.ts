const DOT_DIGITS: readonly string[] = Array.from({ length: 1_000 }, (_, number) => `.${number}`);
export const THREE_DIGITS: readonly string[] = Array.from({ length: 1_000 }, (_, n) =>
  String(n).padStart(3, "0"),
);

/** How many heads are remembered. */
const HEADS = 256;
const headNumbers = new Float64Array(HEADS);
const headTexts: string[] = new Array<string>(HEADS).fill("");

/**
 * A whole number from 0 as text, behind a dot.
 *
 * To write a number that it has not met lately takes V8 some 100 ns. All but the last three digits are met again: of
 * dates within a second, of counts, of numbers that are given one after the other.
 */
export function dotNumber(number: number): string {
  if (number < 1_000) return DOT_DIGITS[number] ?? "";
  const head = Math.floor(number / 1_000);
  const place = head & (HEADS - 1);
  if (headNumbers[place] !== head) {
    headNumbers[place] = head;
    headTexts[place] = `.${head}`;
  }
  return (headTexts[place] ?? "") + (THREE_DIGITS[number - head * 1_000] ?? "");
}
