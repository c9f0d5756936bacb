import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidKeyError } from "../src/errors.js";
import { encodeKey } from "../src/key.js";
import type { Key } from "../src/limiter.js";

const encode = (key: Key): string => encodeKey("api", key);

/** Any UTF-16 at all, half a surrogate pair included. */
const utf16 = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});
/** Texts that meet often, made of what is escaped and of what the escapes are made of. */
const tricky = fc.string({
  unit: fc.constantFrom(..."a%|{}0257BCDE", "\ud800", "\udc00", "\ud801", "😀"),
  minLength: 1,
  maxLength: 4,
});
const part = fc.oneof(utf16, tricky);
const key: fc.Arbitrary<Key> = fc.oneof(part, fc.array(part, { minLength: 1, maxLength: 4 }));
/** The one form of keys that are the same. */
const parts = (any: Key): string => JSON.stringify(typeof any === "string" ? [any] : any);

describe("an encoded key", () => {
  it("is the key itself where nothing stands in the way", () => {
    expect(encode("user:42")).toBe("user:42");
    expect(encode("Ärger/über ~!@#$^&*()[]<>\\\"'\n\0")).toBe("Ärger/über ~!@#$^&*()[]<>\\\"'\n\0");
    expect(encode("😀 👩‍👩‍👧 日本語")).toBe("😀 👩‍👩‍👧 日本語");
  });

  it("escapes what separates parts and marks hash tags, and the escape itself", () => {
    expect(encode("{a}|b%")).toBe("%7Ba%7D%7Cb%25");
  });

  it("escapes lone surrogates, which UTF-8 cannot carry", () => {
    expect(encode("\ud800")).toBe("%ED%A0%80");
    expect(encode("a\udfffb")).toBe("a%ED%BF%BFb");
    expect(encode("\udc00\ud800")).toBe("%ED%B0%80%ED%A0%80");
  });

  it("of one part is that of the string", () => {
    expect(encode(["a"])).toBe(encode("a"));
  });

  it("never lets parts run together", () => {
    expect(encode(["a", "bc"])).not.toBe(encode(["ab", "c"]));
    expect(encode(["a", "b"])).not.toBe(encode("a|b"));
    expect(encode(["a|b", "c"])).not.toBe(encode(["a", "b|c"]));
    expect(encode(["a%7C", "b"])).not.toBe(encode(["a|", "b"]));
  });

  it("keeps letter case and spelling, which are the caller's", () => {
    expect(encode("User")).not.toBe(encode("user"));
    expect(encode("é")).not.toBe(encode("e\u0301"));
  });

  it("is another for every other key", () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 2, maxLength: 100 }), (keys) => {
        expect(new Set(keys.map(encode)).size).toBe(new Set(keys.map(parts)).size);
      }),
    );
  });

  it("has no brace, at least one character, and survives UTF-8", () => {
    fc.assert(
      fc.property(key, (any) => {
        expect(encode(any)).toMatch(/^[^{}]+$/);
        expect(Buffer.from(encode(any)).toString()).toBe(encode(any));
      }),
    );
  });
});

describe("the length of a key", () => {
  it.each([
    ["ASCII", "a".repeat(16_384)],
    ["two bytes each", "é".repeat(8_192)],
    ["three bytes each", `${"日".repeat(5_461)}a`],
    ["four bytes each", "😀".repeat(4_096)],
    ["escaped", `${"%".repeat(5_461)}a`],
    ["escaped surrogates", `${"\ud800".repeat(1_820)}aaaa`],
    ["parts", ["a".repeat(8_000), "b".repeat(8_383)]],
  ])("may be 16,384 bytes once encoded, and not one more: %s", (_, longest) => {
    expect(Buffer.byteLength(encode(longest))).toBe(16_384);
    const longer = typeof longest === "string" ? `${longest}a` : [...longest.slice(0, -1), "b".repeat(8_384)];
    expect(() => encode(longer)).toThrow(InvalidKeyError);
    expect(() => encode(longer)).toThrow(
      'limiter "api": a key must have at most 16384 bytes once encoded, got 16385',
    );
  });
});

describe("a key is refused", () => {
  const hole = ["a"];
  hole[2] = "c";

  it.each<[string, Key]>([
    ["the empty string", ""],
    ["the empty array", []],
    ["an empty part", ["a", ""]],
    ["a hole", hole],
    ["nothing but holes", new Array<string>(2)],
  ])("where it says nothing: %s", (_, empty) => {
    expect(() => encode(empty)).toThrow(InvalidKeyError);
  });

  it.each([
    undefined,
    null,
    42,
    Number.NaN,
    true,
    1n,
    Symbol("a"),
    {},
    { length: 1, 0: "a" },
    () => "a",
    new Set("a"),
  ])("where it is no string: %o", (value) => {
    // @ts-expect-error a caller without types
    expect(() => encode(value)).toThrow(InvalidKeyError);
    // @ts-expect-error a caller without types
    expect(() => encode(["a", value])).toThrow(InvalidKeyError);
  });

  it("with a message that names the limiter, the value and what would be right", () => {
    // @ts-expect-error a caller without types
    expect(() => encode(["a", 42])).toThrow(
      'limiter "api": a key must be a string or a non-empty array of strings, got 42',
    );
  });
});
