import type { ByName } from "./by-name.js";
import type { CompositeDecision, CompositeOptions } from "./compose.js";
import type { Part } from "./composite-call.js";
import type { Decision } from "./decision.js";
import { asFallbacks, fallbacksOwn } from "./fallback.js";
import type { Key, ResetOptions } from "./limiter.js";
import { membersOf } from "./members.js";

/** What can answer for a composite while its store fails: another composite, or a limiter. */
export interface CompositeFallback {
  readonly name: string;
  consume(key: Key | ByName<string, Key>, options?: CompositeOptions): Promise<Decision>;
  peek(key: Key | ByName<string, Key>, options?: CompositeOptions): Promise<Decision>;
  refund(decision: Decision): Promise<void>;
  settle(decision: Decision, actualCost: number | ByName<string, number>): Promise<Decision>;
  reset(key: Key | ByName<string, Key>, options?: ResetOptions): Promise<void>;
}

/**
 * What a fallback decides in the place of a composite. Each of its limits is asked as the limit of its name would have
 * been, or where there is none as the first.
 */
export async function askCompositeFallback(
  fallback: CompositeFallback,
  parts: readonly Part[],
  commit: boolean,
): Promise<Decision> {
  const byLimit = new Map(parts.map((part) => [part.question.limit.name, part]));
  const ask = saying(fallback, [...byLimit.keys()]);
  const { signal } = parts[0]?.options ?? {};
  const options = {
    cost: ask((name) => byLimit.get(name)?.request.cost ?? 1),
    reserve: ask((name) => byLimit.get(name)?.request.reserve ?? 0),
    signal,
  };
  const key = ask((name) => byLimit.get(name)?.key ?? "");
  return asFallbacks(await (commit ? fallback.consume(key, options) : fallback.peek(key, options)));
}

/** A fallback's decision for each limit of a composite: that of the limit of its name, or else the whole. */
export function spread(names: readonly string[], decision: Decision): Record<string, Decision> {
  const { limits: _, ...whole } = { limits: undefined, ...decision };
  const own = mapped(limitsIn(decision), asFallbacks);
  return { ...own, ...Object.fromEntries(names.map((name) => [name, own[name] ?? whole])) };
}

/** What a fallback decided, as it decided it; undefined for a decision of any other. */
export function compositeFallbacksOwn(
  decision: CompositeDecision,
  fallback: CompositeFallback,
): Decision | undefined {
  const own = fallbacksOwn(decision, fallback);
  if (own === undefined) return undefined;
  const limits = mapped(limitsIn(own), (part) => fallbacksOwn(part, fallback) ?? part);
  const names = namesOf(fallback).filter((name) => limits[name] !== undefined);
  const whole = { ...own, limits: Object.fromEntries(names.map((name) => [name, limits[name]])) };
  return whole;
}

/**
 * Says something of each limit of a fallback: in one word to a single limiter, otherwise by name. `of` is told which of a
 * composite's limits it answers for.
 */
export function saying(
  fallback: CompositeFallback,
  names: readonly string[],
): <Value>(of: (name: string) => Value) => Value | Record<string, Value> {
  const [first = ""] = names;
  const own = namesOf(fallback).map((name) => [name, names.includes(name) ? name : first] as const);
  const [only, ...others] = own;
  return (of) =>
    only !== undefined && others.length === 0
      ? of(only[1])
      : Object.fromEntries(own.map(([name, counterpart]) => [name, of(counterpart)]));
}

function mapped(
  limits: Readonly<Record<string, Decision>>,
  change: (decision: Decision) => Decision,
): Record<string, Decision> {
  return Object.fromEntries(Object.entries(limits).map(([name, decision]) => [name, change(decision)]));
}

function namesOf(fallback: CompositeFallback): string[] {
  return membersOf(fallback)?.map(({ limit }) => limit.name) ?? [fallback.name];
}

function limitsIn(decision: Decision): Record<string, Decision> {
  const limits: unknown = Reflect.get(decision, "limits");
  return isRecord(limits) ? limits : {};
}

function isRecord(limits: unknown): limits is Record<string, Decision> {
  return typeof limits === "object" && limits !== null;
}
