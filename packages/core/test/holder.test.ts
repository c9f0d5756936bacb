import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { InvalidKeyError, InvalidPolicyError } from "../src/errors.js";
import { holderOf } from "../src/holder.js";
import { memoryStore } from "../src/memory-store.js";
import { useStores } from "./stores.js";
import { tally } from "./tiny-algorithm.js";

const BY_HAND = { limit: 5, window: "1h", blockFor: "by-hand" } as const;

describe.each(await useStores())("a hold on $kind", ({ make }) => {
  function held() {
    const { store, clock } = make();
    const limiter = tally({ name: "held", ...BY_HAND, store });
    return { store, clock, limiter, holder: holderOf(limiter) };
  }

  it("blocks its key for so long, and no other", async () => {
    const { limiter, holder, clock } = held();
    await holder.hold("ada", 2_000);
    expect(await limiter.consume("ada")).toMatchObject({ reason: "blocked", retryAfterMs: 2_000 });
    expect(await limiter.consume("bob")).toMatchObject({ allowed: true });
    clock.advance(500);
    expect(await holder.heldMs("ada")).toBe(1_500);
    expect(await holder.heldMs("bob")).toBe(0);
    clock.advance(1_500);
    expect(await limiter.consume("ada")).toMatchObject({ allowed: true });
  });

  it("lengthens a block, and never shortens one", async () => {
    const { limiter, holder } = held();
    await limiter.block("ada", 3_000);
    await holder.hold("ada", 2_000);
    expect(await holder.heldMs("ada")).toBe(3_000);
    await holder.hold("ada", 4_000);
    expect(await holder.heldMs("ada")).toBe(4_000);
  });

  it("of a composite is one of those limits that can be blocked, each with its own key", async () => {
    const { store, limiter } = held();
    const free = tally({ name: "free", limit: 5, window: "1h", store });
    const other = tally({ name: "other", ...BY_HAND, store });
    const holder = holderOf(compose([free, limiter, other]));
    await holder.hold({ free: "all", held: "ada", other: "host" }, 2_000);
    expect(await limiter.peek("ada")).toMatchObject({ reason: "blocked" });
    expect(await other.peek("host")).toMatchObject({ reason: "blocked" });
    expect(await free.peek("all")).toMatchObject({ allowed: true });
    expect(await holder.heldMs({ free: "all", held: "bob", other: "host" })).toBe(2_000);
  });
});

describe("what holds keys back", () => {
  const store = memoryStore();
  const limiter = tally({ name: "held", ...BY_HAND, store });

  it("is refused for limits that cannot be blocked, and for what is no limiter", () => {
    const free = tally({ name: "free", limit: 5, window: "1h", store });
    expect(() => holderOf(free)).toThrow(
      'limiter "free": to hold keys back needs the option blockFor, such as "by-hand"',
    );
    expect(() => holderOf(compose([free]))).toThrow(InvalidPolicyError);
    expect(() => holderOf({ ...limiter })).toThrow(InvalidPolicyError);
    expect(() => holderOf(compose([free, limiter]))).not.toThrow();
  });

  it("refuses a wrong key and a time that is none", async () => {
    const holder = holderOf(limiter);
    await expect(holder.hold("", 5)).rejects.toThrow(InvalidKeyError);
    await expect(holder.heldMs({ other: "ada" })).rejects.toThrow(InvalidKeyError);
    await expect(holder.hold("ada", 0)).rejects.toThrow(InvalidPolicyError);
  });
});
