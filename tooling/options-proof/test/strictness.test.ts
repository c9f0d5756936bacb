import { check } from "@sluice/algorithm-proof";
import { type Policy, StoreError } from "@sluice/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { eachAlgorithm } from "../src/each-algorithm.ts";
import { type Fields, handWritten, misspelt, valuesOf } from "../src/hand-written-policies.ts";
import { keyedLimiter } from "../src/key-policies.ts";
import { useServer } from "../src/server.ts";
import { openRedis } from "../src/stores.ts";
import type { Subject } from "../src/subject.ts";

const POLICIES = 160;
const TIMEOUT_MS = 120_000;
const KEY = "key";
const { connection, otherConnection } = await useServer();

/** A limiter, the fields of its key's policy, and a way to write others there by hand. */
async function openByHand<Own extends object>(subject: Subject<Own>) {
  const { store, prefix } = openRedis(connection, otherConnection);
  const limiter = keyedLimiter(subject, store, subject.shape(5, 60_000));
  await limiter.setLimit(KEY, subject.shape(5, 60_000));
  const [policyKey = ""] = texts(await connection.send("KEYS", [`${prefix}:*.policy:*`]));
  const right = new Map<string, string>();
  for (const field of subject.fields) {
    right.set(field, texts([await connection.send("HGET", [policyKey, field])]).join());
  }
  return {
    limiter,
    right,
    async type(fields: Fields): Promise<void> {
      await connection.send("DEL", [policyKey]);
      await connection.send("HSET", [policyKey, ...[...fields].flat()]);
    },
  };
}

function texts(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** The policy that a factory would make of the same numbers, if it made one. */
function policyOf<Own extends object>(subject: Subject<Own>, typed: Fields): Policy | undefined {
  if (misspelt(subject, typed).length > 0) return undefined;
  try {
    return subject.create<string>({ ...subject.ownOf(valuesOf(typed)), name: "keyed" }).policy;
  } catch {
    return undefined;
  }
}

/** What a refusal may name: a field that is misspelt; any number, where the numbers do not fit together. */
function brokenFields<Own extends object>(
  subject: Subject<Own>,
  right: Fields,
  typed: Fields,
): readonly string[] {
  const broken = misspelt(subject, typed);
  const numbers = [...typed].filter(([field]) => !broken.includes(field));
  const fitTogether = policyOf(subject, new Map([...right, ...numbers])) !== undefined;
  return fitTogether ? broken : [...broken, ...subject.fields];
}

async function refusal(work: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof StoreError) return error;
  throw new Error(`a StoreError was expected, got ${JSON.stringify(error) ?? String(error)}`);
}

eachAlgorithm((subject) => {
  it(
    "takes of policies that people typed what a factory takes, and refuses the others by the name of a broken field",
    async () => {
      const { limiter, right, type } = await openByHand(subject);
      let refused = 0;
      let accepted = 0;
      const property = fc.asyncProperty(handWritten(subject), async (typed) => {
        await type(typed);
        const expected = policyOf(subject, typed);
        if (expected !== undefined) {
          accepted += 1;
          const { limit, windowMs } = await limiter.consume(KEY);
          expect({ limit, windowMs }).toEqual({ limit: expected.limit, windowMs: expected.windowMs });
          await limiter.reset(KEY);
          return;
        }
        refused += 1;
        const { message, mayHaveCounted } = await refusal(limiter.consume(KEY));
        // no error reply has more than one line
        const named = brokenFields(subject, right, typed).map((field) => field.replace(/[\r\n]/g, " "));
        expect(message).toSatisfy(() => named.some((field) => message.includes(`: ${field} must be `)));
        expect(mayHaveCounted).toBe(false);
      });
      await check(property, POLICIES);
      expect([refused, accepted].every((count) => count > POLICIES / 8)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    "reads such a policy by getLimit as it decides by it",
    async () => {
      const { limiter, type } = await openByHand(subject);
      const property = fc.asyncProperty(handWritten(subject), async (typed) => {
        await type(typed);
        const expected = policyOf(subject, typed);
        if (expected !== undefined) expect(await limiter.getLimit(KEY)).toEqual(expected);
        else expect((await refusal(limiter.getLimit(KEY))).mayHaveCounted).toBe(false);
      });
      await check(property, POLICIES);
    },
    TIMEOUT_MS,
  );
});
