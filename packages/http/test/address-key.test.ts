import { InvalidKeyError, InvalidPolicyError } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressKey } from "../src/index.js";

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });

/** Spellings of one IPv6 address: in full, in capitals, short, in brackets, with a port, with a zone. */
function spellings(parts: readonly number[]): string[] {
  const hex = parts.map((part) => part.toString(16));
  const full = hex.map((part) => part.padStart(4, "0")).join(":");
  const short = hex.join(":").replace(/(?:^|:)0(?::0)+(?:$|:)/, "::");
  return [full, full.toUpperCase(), short, `[${full}]`, `[${short}]:443`, `${short}%eth0`];
}

describe("the key of an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:8080", "192.0.2.1"],
    ["2001:db8:0:12ff::1", "2001:db8:0:1200::/56"],
    ["[2001:db8:0:12ff::1]:443", "2001:db8:0:1200::/56"],
    ["fe80::1%eth0", "fe80::/56"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["64:ff9b::192.0.2.1", "192.0.2.1"],
    ["64:ff9b::c000:201", "192.0.2.1"],
    ["::192.0.2.1", "::/56"],
    ["0::c000:201", "::/56"],
  ])("of %s is %s", (ip, key) => {
    expect(addressKey(ip)).toBe(key);
  });

  it("is refused at once, however long a text is", () => {
    const texts = [
      `:${".".repeat(100_000)}:`,
      "1".repeat(100_000),
      `[${":".repeat(100_000)}`,
      `${"1.".repeat(50_000)}:`,
    ];
    const startMs = performance.now();
    for (const text of texts) expect(() => addressKey(text)).toThrow(InvalidKeyError);
    // an expression that goes back for each character would take many seconds
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });

  it("is as wide as you say", () => {
    expect(addressKey("192.0.2.77", { ipv4Prefix: 24 })).toBe("192.0.2.0/24");
    expect(addressKey("2001:db8::1", { ipv6Prefix: 128 })).toBe("2001:db8::1");
    expect(addressKey("2001:db8:ffff::1", { ipv6Prefix: 32 })).toBe("2001:db8::/32");
  });

  it("is one for all addresses of a network, and another one beyond it", () => {
    expect(addressKey("2001:db8:0:1200::1")).toBe(addressKey("2001:db8:0:12ff:ffff::"));
    expect(addressKey("2001:db8:0:1300::1")).not.toBe(addressKey("2001:db8:0:1200::1"));
  });

  it.each(["::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1", "[::ffff:c000:0201]:80"])(
    "of the IPv4-mapped %s is that of its IPv4 address",
    (ip) => {
      expect(addressKey(ip)).toBe("192.0.2.1");
    },
  );

  it("is one for all spellings of an address", () => {
    fc.assert(
      fc.property(groups, (parts) => {
        expect(new Set(spellings(parts).map((ip) => addressKey(ip, { ipv6Prefix: 128 }))).size).toBe(1);
      }),
    );
  });

  it("is its own key", () => {
    const ip = fc.oneof(fc.ipV4(), fc.ipV6());
    const options = fc.record({
      ipv4Prefix: fc.integer({ min: 1, max: 32 }),
      ipv6Prefix: fc.integer({ min: 1, max: 128 }),
    });
    fc.assert(
      fc.property(ip, options, (address, prefixes) => {
        const key = addressKey(address, prefixes);
        expect(addressKey(key, prefixes)).toBe(key);
      }),
    );
  });
});

describe("refused is", () => {
  it.each([
    "",
    "unknown",
    "_hidden",
    "127.1",
    "0x7f.0.0.1",
    "010.0.0.1",
    "::ffff:010.0.0.1",
    "1.2.3.256",
    "10.0.0.0/33",
  ])("what is no address, or is read differently by different programs: %j", (ip) => {
    expect(() => addressKey(ip)).toThrow(InvalidKeyError);
  });

  it("what is missing", () => {
    // @ts-expect-error a caller without types
    expect(() => addressKey(undefined)).toThrow("got undefined");
  });

  it.each([{ ipv4Prefix: 33 }, { ipv6Prefix: 0 }, { ipv6Prefix: 56.5 }])("the option %j", (options) => {
    expect(() => addressKey("192.0.2.1", options)).toThrow(InvalidPolicyError);
  });

  it("an option that nobody knows", () => {
    // @ts-expect-error a caller without types
    expect(() => addressKey("192.0.2.1", { prefix: 56 })).toThrow('the unknown option "prefix"');
  });
});
