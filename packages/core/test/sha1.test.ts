import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha1 } from "../src/sha1.js";

const expected = (text: string): string => createHash("sha1").update(text, "utf8").digest("hex");

it("is that of the standard's examples", () => {
  expect(sha1("abc")).toBe("a9993e364706816aba3e25717850c26c9cd0d89d");
  expect(sha1("")).toBe("da39a3ee5e6b4b0d3255bfef95601890afd80709");
});

it.each([55, 56, 63, 64, 119, 120])("is right around the end of a block, at %i bytes", (length) => {
  for (const text of ["a".repeat(length), `${"é".repeat(length / 2)}${"a".repeat(length % 2)}`]) {
    expect(Buffer.byteLength(text)).toBe(length);
    expect(sha1(text)).toBe(expected(text));
  }
});

it("is what Node's crypto computes, of any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(sha1(text)).toBe(expected(text));
    }),
    { numRuns: 500 },
  );
});

it("takes a text of many blocks", () => {
  const text = "-- a comment of a script\n".repeat(4_000);
  expect(sha1(text)).toBe(expected(text));
});
