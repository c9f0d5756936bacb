import { InvalidKeyError } from "@sluice/core";
import { checkKnown, shown, whole } from "./checks.js";
import { bitsOf, canonical, networkOf } from "./ip.js";
import { parseNetwork } from "./network.js";

/** Options of {@link addressKey}. */
export interface AddressKeyOptions {
  /** How many bits of an IPv4 address count: from 1 to 32, default 32. */
  ipv4Prefix?: number | undefined;
  /** How many bits of an IPv6 address count: from 1 to 128, default 56, since one customer has all addresses of a network. */
  ipv6Prefix?: number | undefined;
}

/**
 * The key of an address: every spelling of one address has one key. An IPv4-mapped IPv6 address is its IPv4 address; port,
 * brackets and zone are left out. The key of a key is that key.
 *
 * @example
 * ```ts
 * import { addressKey } from "@sluice/http";
 *
 * console.log(addressKey("[::ffff:c000:201]:443")); // 192.0.2.1
 * console.log(addressKey("2001:db8:0:12ff::1")); // 2001:db8:0:1200::/56
 * ```
 * @throws InvalidKeyError for what is no address. InvalidPolicyError for wrong options.
 */
export function addressKey(ip: string, options: AddressKeyOptions = {}): string {
  checkKnown("addressKey", options, ["ipv4Prefix", "ipv6Prefix"]);
  const ipv4Prefix = whole("addressKey: ipv4Prefix", options.ipv4Prefix ?? 32, 1, 32);
  const ipv6Prefix = whole("addressKey: ipv6Prefix", options.ipv6Prefix ?? 56, 1, 128);
  const network = typeof ip === "string" ? parseNetwork(ip) : undefined;
  if (network === undefined) {
    throw new InvalidKeyError(
      `addressKey: an IP address was expected, such as "192.0.2.1" or "2001:db8::1", got ${shown(ip)}`,
    );
  }
  const bits = bitsOf(network.ip);
  const prefix = Math.min(network.prefix, bits === 32 ? ipv4Prefix : ipv6Prefix);
  const address = canonical(networkOf(network.ip, prefix));
  return prefix === bits ? address : `${address}/${prefix}`;
}
