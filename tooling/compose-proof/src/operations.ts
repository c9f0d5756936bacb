import { type Act, type Amount, type Amounts, type Keys, keyName, unitsOf, waitMs } from "./acts.ts";
import type { Composition, Ingredient } from "./composition.ts";
import { KINDS, type Shape } from "./kinds.ts";

/** One for all limits, or one for each by name. */
export type Said<Value> = Value | Readonly<Record<string, Value>>;

/** What a call comes to for one limit. */
export interface Part {
  readonly key: string;
  readonly cost: number;
  readonly reserve: number;
}

/** A call as it is said to the composite, and what it comes to for each limit in turn. */
export interface Call {
  readonly do: "consume" | "peek";
  readonly key: Said<string>;
  readonly options: { readonly cost?: Said<number>; readonly reserve?: Said<number> };
  readonly parts: readonly Part[];
}

/** What an act comes to under the policies in force. Consumes are numbered, so that a correction can name one. */
export type Operation =
  | Call
  | { readonly do: "refund"; readonly call: number }
  | {
      readonly do: "settle";
      readonly call: number;
      readonly at: Said<number>;
      readonly parts: readonly number[];
    }
  | { readonly do: "reset"; readonly key: Said<string>; readonly parts: readonly string[] }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "replace"; readonly name: string; readonly shape: Shape }
  | {
      readonly do: "set";
      readonly name: string;
      readonly key: string;
      readonly shape: Shape | undefined;
    };

/** What a trace comes to for a composition. Acts that find nothing to act on are left out. */
export function operationsOf(composition: Composition, trace: readonly Act[]): Operation[] {
  const inForce = composition.map(({ shapes: [first] }) => first);
  let calls = 0;
  const operations: Operation[] = [];
  for (const act of trace) {
    const limits = composition.map(({ kind }, i) =>
      Math.max(inForce[i]?.limit ?? 0, KINDS[kind].queues ? 1 : 0),
    );
    switch (act.do) {
      case "consume":
      case "peek":
        operations.push(callOf(composition, limits, act));
        if (act.do === "consume") calls += 1;
        break;
      case "refund":
        if (calls > 0) operations.push({ do: "refund", call: act.which % calls });
        break;
      case "settle": {
        const { said, each } = unitsSaid(composition, limits, act.at);
        if (calls > 0) operations.push({ do: "settle", call: act.which % calls, at: said, parts: each });
        break;
      }
      case "reset": {
        const { said, each } = keysSaid(composition, act.keys);
        operations.push({ do: "reset", key: said, parts: each });
        break;
      }
      case "wait":
        operations.push({ do: "wait", ms: waitMs(act, inForce[act.of % inForce.length]?.windowMs ?? 1) });
        break;
      case "replace": {
        const position = act.which % composition.length;
        const ingredient = composition[position];
        const shape = ingredient && shapeAt(ingredient, act.by);
        if (ingredient === undefined || shape === undefined || shape === inForce[position]) break;
        inForce[position] = shape;
        operations.push({ do: "replace", name: ingredient.name, shape });
        break;
      }
      case "set": {
        const ingredient = composition[act.which % composition.length];
        if (ingredient?.perKey !== true) break;
        const shape = act.by === undefined ? undefined : shapeAt(ingredient, act.by);
        operations.push({ do: "set", name: ingredient.name, key: keyName(act.key), shape });
      }
    }
  }
  return operations;
}

function shapeAt({ shapes }: Ingredient, by: number): Shape | undefined {
  return shapes[by % shapes.length];
}

function callOf(
  composition: Composition,
  limits: readonly number[],
  act: Act & { do: "consume" | "peek" },
): Call {
  const keys = keysSaid(composition, act.keys);
  const cost = act.cost && unitsSaid(composition, limits, act.cost);
  const reserve = act.reserve && unitsSaid(composition, limits, act.reserve);
  return {
    do: act.do,
    key: keys.said,
    options: { ...(cost && { cost: cost.said }), ...(reserve && { reserve: reserve.said }) },
    parts: keys.each.map((key, i) => ({ key, cost: cost?.each[i] ?? 1, reserve: reserve?.each[i] ?? 0 })),
  };
}

/** How a value is said, and what it is for each limit. */
interface Spoken<Value> {
  readonly said: Said<Value>;
  readonly each: readonly Value[];
}

function keysSaid(composition: Composition, keys: Keys): Spoken<string> {
  return spoken(composition, "all" in keys ? keyName(keys.all) : undefined, (i) =>
    keyName("each" in keys ? (keys.each[i] ?? 0) : 0),
  );
}

function unitsSaid(composition: Composition, limits: readonly number[], amounts: Amounts): Spoken<number> {
  const all = "all" in amounts ? unitsOf(amounts.all, Math.min(...limits)) : undefined;
  const one: Amount = { units: 1 };
  return spoken(composition, all, (i) =>
    unitsOf("each" in amounts ? (amounts.each[i] ?? one) : one, limits[i] ?? 0),
  );
}

function spoken<Value>(
  composition: Composition,
  all: Value | undefined,
  valueAt: (position: number) => Value,
): Spoken<Value> {
  if (all !== undefined) return { said: all, each: composition.map(() => all) };
  const each = composition.map((_, i) => valueAt(i));
  return { said: Object.fromEntries(composition.map(({ name }, i) => [name, valueAt(i)])), each };
}
