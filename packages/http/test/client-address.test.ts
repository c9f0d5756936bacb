import { InvalidPolicyError } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientAddress, NoAddressError } from "../src/index.js";

const request = (headers: Record<string, string> = {}) => new Request("http://a/", { headers });
const xff = (field: string) => request({ "x-forwarded-for": field });

describe("with nothing said", () => {
  it("the address is that of the connection, whatever the headers claim", () => {
    const headers = { "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9" };
    expect(clientAddress({ headers, socket: { remoteAddress: "::ffff:192.0.2.1" } })).toBe("192.0.2.1");
    expect(clientAddress({ headers, remoteAddress: "192.0.2.1" })).toBe("192.0.2.1");
  });

  it("a request that does not know its connection is refused, and told what to set", () => {
    expect(() => clientAddress(xff("203.0.113.9"))).toThrow(NoAddressError);
    expect(() => clientAddress(xff("203.0.113.9"))).toThrow("trustedHops");
  });
});

describe("with trustedHops", () => {
  it("the address is what the first of so many proxies has seen", () => {
    expect(clientAddress(xff("192.0.2.7"), { trustedHops: 1 })).toBe("192.0.2.7");
    expect(clientAddress(xff("192.0.2.7, 10.0.0.1"), { trustedHops: 2 })).toBe("192.0.2.7");
  });

  it("0 is the connection", () => {
    expect(clientAddress({ remoteAddress: "192.0.2.1" }, { trustedHops: 0 })).toBe("192.0.2.1");
  });

  it.each([
    ["x-forwarded-for", "192.0.2.7:443", "192.0.2.7"],
    ["x-forwarded-for", "[2001:db8::1]:443", "2001:db8::1"],
    ["forwarded", "for=192.0.2.7;proto=https;by=203.0.113.43", "192.0.2.7"],
    ["forwarded", 'proto=https; For="[2001:DB8:cafe::17]:4711"', "2001:db8:cafe::17"],
    ["cf-connecting-ip", "192.0.2.7", "192.0.2.7"],
  ])("%s: %s is read", (header, field, address) => {
    expect(clientAddress(request({ [header]: field }), { trustedHops: 1, header })).toBe(address);
  });

  it("headers of Node are read too", () => {
    const headers = { "x-forwarded-for": ["198.51.100.1", "192.0.2.7"] };
    expect(clientAddress({ headers }, { trustedHops: 1 })).toBe("192.0.2.7");
  });

  it("what stands left of the trusted hops never changes the address", () => {
    const forged = fc.string({ unit: fc.constantFrom(...'fo=",;\\ 1.a:[]') });
    fc.assert(
      fc.property(forged, (junk) => {
        expect(
          clientAddress(
            { headers: { "x-forwarded-for": `${junk}, 192.0.2.7, 10.0.0.1` } },
            { trustedHops: 2 },
          ),
        ).toBe("192.0.2.7");
        const forwarded = `${junk}, for="192.0.2.7:1";by="a,b", for=10.0.0.1`;
        expect(clientAddress({ headers: { forwarded } }, { trustedHops: 2, header: "forwarded" })).toBe(
          "192.0.2.7",
        );
      }),
    );
  });

  it("a request that has passed fewer proxies is refused, and so is one that hides its address", () => {
    expect(() => clientAddress(xff("192.0.2.7"), { trustedHops: 2 })).toThrow("trustedHops is 2");
    expect(() => clientAddress(request(), { trustedHops: 1 })).toThrow(NoAddressError);
    const hidden = request({ forwarded: "for=_secret" });
    expect(() => clientAddress(hidden, { trustedHops: 1, header: "forwarded" })).toThrow('"_secret"');
  });
});

describe("with trustedProxies", () => {
  const trustedProxies = ["10.0.0.0/8", "2001:db8:1::/48"];

  it("the address is the last that is no proxy of yours", () => {
    const headers = { "x-forwarded-for": "203.0.113.9, 192.0.2.7, 10.1.1.1" };
    expect(clientAddress({ headers, remoteAddress: "::ffff:10.0.0.1" }, { trustedProxies })).toBe(
      "192.0.2.7",
    );
    expect(clientAddress({ headers, remoteAddress: "2001:db8:1::9" }, { trustedProxies })).toBe("192.0.2.7");
  });

  it("who connects without a proxy is not believed", () => {
    const headers = { "x-forwarded-for": "203.0.113.9" };
    expect(clientAddress({ headers, remoteAddress: "192.0.2.1" }, { trustedProxies })).toBe("192.0.2.1");
  });

  it("a call of your own, all the way, is that of the farthest", () => {
    const headers = { "x-forwarded-for": "10.0.0.5, 10.0.0.6" };
    expect(clientAddress({ headers, remoteAddress: "10.0.0.1" }, { trustedProxies })).toBe("10.0.0.5");
    expect(clientAddress({ remoteAddress: "10.0.0.1" }, { trustedProxies })).toBe("10.0.0.1");
  });

  it("a request with neither a connection nor the header is refused", () => {
    expect(() => clientAddress(request(), { trustedProxies })).toThrow(NoAddressError);
  });
});

it.each([
  { trustedHops: -1 },
  { trustedHops: 1, trustedProxies: ["10.0.0.0/8"] },
  { trustedProxies: [] },
  { trustedProxies: ["10.0.0.0/40"] },
  { trustedProxies: "loopback" },
  { header: "forwarded" },
  { trustedHops: 1, header: "no header" },
  { trustProxy: true },
])("options are refused: %j", (options) => {
  // @ts-expect-error a caller without types
  expect(() => clientAddress({ remoteAddress: "192.0.2.1" }, options)).toThrow(InvalidPolicyError);
});

it.each([undefined, null, "192.0.2.1", 7])("a source is refused that is none: %j", (source) => {
  // @ts-expect-error a caller without types
  expect(() => clientAddress(source)).toThrow(InvalidPolicyError);
});

it("what an object inherits is no header", () => {
  const headers = {};
  expect(() => clientAddress({ headers }, { trustedHops: 1, header: "constructor" })).toThrow(NoAddressError);
});
