import { styleText } from "node:util";
import type { Decision } from "@sluice/token-bucket";

/** False where the output is no terminal, or NO_COLOR is set. */
const HAS_COLOURS = process.stdout.isTTY && process.stdout.hasColors();
const TIME_WIDTH = 10;
const COLUMN_WIDTH = 34;

/** One row: what was decided for each user at that moment, if anything was. */
export type Row<User extends string> = Partial<Record<User, Decision | undefined>>;

/** Prints a line of its own, between the rows. */
export function narrate(text: string): void {
  console.log(`\n${paint("bold", text)}`);
}

/** Prints the head of a timeline with a column for each user. What it returns prints a row. */
export function startTimeline<User extends string>(...users: readonly User[]): (row: Row<User>) => void {
  const names = users.map((user) => user.padEnd(COLUMN_WIDTH)).join("");
  console.log(`\n${paint("dim", `${" ".repeat(TIME_WIDTH)}${names.trimEnd()}`)}`);
  let startMs: number | undefined;
  return (row) => {
    const decisions = users.map((user) => row[user]);
    const nowMs = decisions.find((decision) => decision !== undefined)?.decidedAtMs ?? 0;
    startMs ??= nowMs;
    const time = `${nowMs - startMs} ms`.padStart(TIME_WIDTH - 2);
    console.log(`${paint("dim", time)}  ${decisions.map(column).join("").trimEnd()}`);
  };
}

function column(decision: Decision | undefined): string {
  if (decision === undefined) return " ".repeat(COLUMN_WIDTH);
  const { remaining, limit, allowed } = decision;
  const gauge = "●".repeat(remaining) + "○".repeat(limit - remaining);
  const text = `${gauge} ${verdict(decision)}`;
  return paint(allowed ? "green" : "red", text) + " ".repeat(Math.max(1, COLUMN_WIDTH - text.length));
}

function verdict({ allowed, taken, cost, remaining, limit, retryAfterMs }: Decision): string {
  const price = cost === 1 ? "" : `, cost ${cost}`;
  if (!allowed) return `denied${price}: wait ${retryAfterMs} ms`;
  if (taken > 0) return `allowed${price}`;
  return remaining === limit ? "full" : "refilling";
}

function paint(format: "bold" | "dim" | "green" | "red", text: string): string {
  return HAS_COLOURS ? styleText(format, text) : text;
}
