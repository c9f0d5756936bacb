import { describe, expect, it } from "vitest";
import { membersOf } from "../src/members.js";
import { memoryStore } from "../src/memory-store.js";
import { RedisKeys } from "../src/redis-keys.js";
import { keyedTally } from "./keyed-tally.js";

const keys = new RedisKeys("shop");

/** A limit as its limiter hands it to a store. */
function limitOf(options: { perKey?: true; blockFor?: "1m" }) {
  const limiter = keyedTally({ name: "api", limit: 5, window: "1s", store: memoryStore(), ...options });
  const [member] = membersOf(limiter) ?? [];
  if (member === undefined) throw new Error("a limiter has a limit");
  return member.limit;
}

describe("the keys of a limit in Redis", () => {
  it("have the user's part for their hash tag, so that all of one user lie in one slot", () => {
    const limit = limitOf({ perKey: true, blockFor: "1m" });
    expect(keys.state(limit, "user|42")).toBe("shop:api:kty.1:{user|42}");
    expect(keys.policy(limit, "user|42")).toBe("shop:api:kty.policy:{user|42}");
    expect(keys.block(limit, "user|42")).toBe("shop:api:block:{user|42}");
  });

  it("are those alone that a decision may touch", () => {
    expect(keys.all(limitOf({}), "a")).toEqual(["shop:api:kty.1:{a}"]);
    expect(keys.all(limitOf({ perKey: true }), "a")).toEqual([
      "shop:api:kty.1:{a}",
      "shop:api:kty.policy:{a}",
    ]);
    expect(keys.all(limitOf({ blockFor: "1m" }), "a")).toEqual(["shop:api:kty.1:{a}", "shop:api:block:{a}"]);
    expect(keys.all(limitOf({ perKey: true, blockFor: "1m" }), "a")).toEqual([
      "shop:api:kty.1:{a}",
      "shop:api:kty.policy:{a}",
      "shop:api:block:{a}",
    ]);
  });
});
