import { LOOK, questionOf } from "./ask.js";
import { type ByName, byName, isOneForAll } from "./by-name.js";
import { InvalidPolicyError } from "./errors.js";
import { encodeKey } from "./key.js";
import type { Key } from "./limiter.js";
import { type Member, membersOf } from "./members.js";
import { policyChecks } from "./policy-checks.js";
import { inTimeOfOne } from "./store-time.js";
import { shown } from "./whole.js";

/** Holds keys back on all limits of a limiter or a composite that can be blocked. */
export interface Holder {
  /** Whether a grant may be a slot in the future, which a hold does not take back. */
  readonly queues: boolean;
  /**
   * Blocks a key for at least so many milliseconds from now on. A block that lasts longer stays, unless it is set in the
   * same moment.
   *
   * @throws InvalidKeyError, InvalidPolicyError, StoreError
   */
  hold(key: Key | ByName<string, Key>, spanMs: number): Promise<void>;
  /** How long a key is still blocked; 0 where it is not. @throws InvalidKeyError, StoreError */
  heldMs(key: Key | ByName<string, Key>): Promise<number>;
}

/**
 * What holds keys back, for those who obey somebody else's limits.
 *
 * @throws InvalidPolicyError for what is no limiter, or has no limit with `blockFor`
 */
export function holderOf(limiter: unknown): Holder {
  const members = membersOf(limiter);
  if (members === undefined) throw new InvalidPolicyError(`a limiter was expected, got ${shown(limiter)}`);
  const names = members.map(({ limit }) => limit.name);
  const whose = `limiter ${names.map(shown).join(", ")}`;
  const blockable = members.filter(({ limit }) => limit.blockForMs !== undefined);
  const [first] = blockable;
  if (first === undefined) {
    throw new InvalidPolicyError(`${whose}: to hold keys back needs the option blockFor, such as "by-hand"`);
  }
  const { duration } = policyChecks(first.limit.name);
  const onEach = async <Answer>(
    key: Key | ByName<string, Key>,
    ask: (member: Member, encoded: string) => Answer | Promise<Answer>,
  ): Promise<Answer[]> => {
    const keyOf = byName<Key>(whose, names, key, isOneForAll);
    const keyed = blockable.map((member) => {
      const { name } = member.limit;
      return { member, encoded: encodeKey(name, keyOf(name)) };
    });
    const work = () => Promise.all(keyed.map(async ({ member, encoded }) => ask(member, encoded)));
    return inTimeOfOne({ store: first.store, limiterName: first.limit.name, counts: false, work });
  };
  return {
    queues: members.some(({ limit }) => limit.kernel.queues),
    async hold(key, spanMs) {
      const span = duration("the time to hold for", spanMs);
      await onEach(key, async (member, encoded) => {
        if ((await blockedMs(member, encoded)) < span) await member.store.block(member.limit, encoded, span);
      });
    },
    heldMs: async (key) => Math.max(...(await onEach(key, blockedMs))),
  };
}

async function blockedMs({ limit, store }: Member, key: string): Promise<number> {
  const { ask } = questionOf(limit, key, LOOK);
  const { nowMs, blockedUntilMs = 0 } = await store.decide(limit, key, ask);
  return Math.max(0, blockedUntilMs - nowMs);
}
