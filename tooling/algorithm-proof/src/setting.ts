import type { Decision, Limiter } from "@sluice/core";
import { Actor } from "./actor.ts";
import type { Ground, Rig } from "./rig.ts";
import type { Subject } from "./subject.ts";

export const KEY = "key";

/** A limiter on a store that holds nothing yet. */
export interface Setting<Own extends object, R extends Rig> {
  readonly rig: R;
  readonly limiter: Limiter<string, Own>;
  /** Someone who acts on a key. */
  actor(key?: string): Actor;
}

/** Sets a policy up on a fresh store. */
export function settingOf<Own extends object, R extends Rig>(
  subject: Subject<Own>,
  ground: Ground<R>,
  own: Own,
): Setting<Own, R> {
  const rig = ground.open();
  const limiter: Limiter<string, Own> = subject.create({ ...own, name: "proof", store: rig.store });
  return { rig, limiter, actor: (key = KEY) => new Actor(limiter, rig.clock, key) };
}

/** Takes all that a key has left, if that is anything. */
export function drain(limiter: Limiter, key: string = KEY): Promise<Decision> {
  return limiter.consume(key, { cost: limiter.policy.limit, atLeast: 0 });
}

/** What a Decision says, whatever the key and the receipt. */
export function told({ key: _key, receipt: _receipt, ...rest }: Decision): Omit<Decision, "key" | "receipt"> {
  return rest;
}
