import type { CommonGateOptions, CompositeGateOptions, GateOptions, Told, ToldOptions } from "@sluice/http";
import type { OwnOptions, Seen } from "./route.ts";

/** The options with functions that take what a framework gives them. */
export function forArgs<Args extends readonly unknown[]>(
  { onLimited: _, ...options }: OwnOptions,
  seenOf: (...args: Args) => Seen,
): GateOptions<Args> | CompositeGateOptions<string, Args> {
  return isComposite(options)
    ? { ...common(options, seenOf), ...told(options, seenOf), limiter: ofArgs(options.limiter, seenOf) }
    : { ...common(options, seenOf), ...told(options, seenOf), limiter: ofArgs(options.limiter, seenOf) };
}

function isComposite(
  options: GateOptions<[Seen]> | CompositeGateOptions<string, [Seen]>,
): options is CompositeGateOptions<string, [Seen]> {
  return typeof options.limiter === "object" && "policies" in options.limiter;
}

function common<Args extends readonly unknown[]>(
  options: CommonGateOptions<[Seen]>,
  seenOf: (...args: Args) => Seen,
): CommonGateOptions<Args> {
  const { skip, ...others } = options;
  return { ...others, skip: skip && ((...args) => skip(seenOf(...args))) };
}

function told<AnyKey extends string | object, Units extends number | object, Args extends readonly unknown[]>(
  { key, cost, reserve }: ToldOptions<AnyKey, Units, [Seen]>,
  seenOf: (...args: Args) => Seen,
): ToldOptions<AnyKey, Units, Args> {
  return {
    key: ofArgs(key, seenOf),
    cost: cost === undefined ? undefined : ofArgs(cost, seenOf),
    reserve: reserve === undefined ? undefined : ofArgs(reserve, seenOf),
  };
}

function ofArgs<Value extends string | number | object, Args extends readonly unknown[]>(
  value: Told<Value, [Seen]>,
  seenOf: (...args: Args) => Seen,
): Told<Value, Args> {
  return typeof value === "function" ? (...args: Args) => value(seenOf(...args)) : value;
}
