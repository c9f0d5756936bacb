import { InvalidPolicyError } from "@sluice/core";
import { type ClientAddressOptions, readTrust, type Trust } from "./address-options.js";
import { type AddressSource, headerOf, peerOf } from "./address-source.js";
import { shown } from "./checks.js";
import { forwardedFor } from "./forwarded-for.js";
import { fromTheRight } from "./from-the-right.js";
import { canonical, parseIp } from "./ip.js";
import { contains } from "./network.js";
import { NoAddressError } from "./no-address-error.js";

/**
 * The IP address that a request comes from, in its one spelling, for {@link addressKey}. No header is believed unless you say
 * which proxies are yours; then it is read from the right, so that what a client sends itself never counts.
 *
 * A web-standard `Request` does not know its connection. Where your runtime does, give `{ headers, remoteAddress }`;
 * otherwise the connection is taken to be that of the nearest proxy of yours.
 *
 * @example
 * ```ts
 * import { clientAddress } from "@sluice/http";
 *
 * const headers = { "x-forwarded-for": "forged, 192.0.2.7, 10.0.0.1" };
 * console.log(clientAddress(new Request("http://a/", { headers }), { trustedHops: 2 })); // 192.0.2.7
 * ```
 * @throws NoAddressError where there is no address, or none where there should be one. InvalidPolicyError for wrong options.
 */
export function clientAddress(source: AddressSource, options: ClientAddressOptions = {}): string {
  const trust = readTrust(options);
  if (typeof source !== "object" || source === null) {
    throw new InvalidPolicyError(
      `clientAddress: a request, a socket or { headers, remoteAddress } was expected, got ${shown(source)}`,
    );
  }
  const peer = peerOf(source);
  if (trust.hops === 0 && trust.proxies === undefined) {
    return peer === undefined ? refuse(NO_PEER) : address(peer, "the connection");
  }
  const { header } = trust;
  const added = addedBy(source, trust);
  const found =
    trust.proxies === undefined ? byHops(added, trust.hops, header) : byProxies(peer, added, trust);
  return (
    found ?? refuse(`the request has no header ${header}, and its connection is not known. ${WHAT_TO_SET}`)
  );
}

const WHAT_TO_SET =
  "Set trustedHops or trustedProxies to the proxies that a request passes, and header to the one they add to";
const NO_PEER = `the address of the connection is not known. Give { headers, remoteAddress }. Behind proxies: ${WHAT_TO_SET}`;

/** What the proxies have added, the nearest one first. */
function* addedBy(source: AddressSource, { header }: Trust): Generator<string, void> {
  for (const element of fromTheRight(headerOf(source, header))) {
    yield header === "forwarded" ? forwardedFor(element) : element;
  }
}

function byHops(added: Iterable<string>, hops: number, header: string): string {
  let passed = 0;
  for (const node of added) {
    passed += 1;
    if (passed === hops) return address(node, header);
  }
  return refuse(
    `the header ${header} holds ${passed} addresses, and trustedHops is ${hops}: the request has passed fewer proxies. ${WHAT_TO_SET}`,
  );
}

/** The last that is no proxy of yours or, where all are, the farthest. */
function byProxies(peer: string | undefined, added: Iterable<string>, trust: Trust): string | undefined {
  const isTrusted = (node: string): boolean => {
    const ip = parseIp(node);
    return ip !== undefined && (trust.proxies ?? []).some((proxy) => contains(proxy, ip));
  };
  let farthest = peer === undefined ? undefined : address(peer, "the connection");
  if (farthest !== undefined && !isTrusted(farthest)) return farthest;
  for (const node of added) {
    farthest = address(node, trust.header);
    if (!isTrusted(farthest)) return farthest;
  }
  return farthest;
}

function address(node: string, where: string): string {
  const ip = parseIp(node);
  return ip === undefined
    ? refuse(`${where} has ${shown(node)} where an IP address was expected. ${WHAT_TO_SET}`)
    : canonical(ip);
}

function refuse(problem: string): never {
  throw new NoAddressError(`clientAddress: ${problem}`);
}
