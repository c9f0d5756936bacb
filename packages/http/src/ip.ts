import ipaddr from "ipaddr.js";

/** A parsed address: an IPv4-mapped IPv6 address is its IPv4 address. */
export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** In brackets, perhaps with a port: `[2001:db8::1]:443`. */
const BRACKETS = /^\[([^[\]]*)\](?::[\w.-]+)?$/;
/** IPv4 with a port: `192.0.2.1:443`. */
const IPV4_WITH_PORT = /^([\d.]+):[\w.-]+$/;
/** An IPv6 address that ends as an IPv4 address does: `::ffff:192.0.2.1`. */
const IPV4_TAIL = /:([^:]*\.[^:]*)$/;

/**
 * Reads an address, with or without brackets, port and zone. Undefined for what is none, and for the short, octal and
 * hexadecimal spellings of IPv4, which different programs read differently.
 */
export function parseIp(text: string): Ip | undefined {
  const bare = withoutPort(text.trim());
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  const withoutZone = bare.replace(/%.*$/s, "");
  const tail = IPV4_TAIL.exec(withoutZone)?.[1];
  if (tail !== undefined && !ipaddr.IPv4.isValidFourPartDecimal(tail)) return undefined;
  if (!ipaddr.IPv6.isValid(withoutZone)) return undefined;
  const address = ipaddr.IPv6.parse(withoutZone);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** The one spelling of an address; of IPv6 that of RFC 5952. */
export function canonical(ip: Ip): string {
  return ip instanceof ipaddr.IPv4 ? ip.toString() : ip.toRFC5952String();
}

/** How many bits an address has. */
export function bitsOf(ip: Ip): 32 | 128 {
  return ip.kind() === "ipv4" ? 32 : 128;
}

/** The first address of the network of an address. */
export function networkOf(ip: Ip, prefix: number): Ip {
  const network = `${canonical(ip)}/${prefix}`;
  return ip.kind() === "ipv4"
    ? ipaddr.IPv4.networkAddressFromCIDR(network)
    : ipaddr.IPv6.networkAddressFromCIDR(network);
}

function withoutPort(text: string): string {
  return BRACKETS.exec(text)?.[1] ?? IPV4_WITH_PORT.exec(text)?.[1] ?? text;
}
