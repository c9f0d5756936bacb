import ipaddr from "ipaddr.js";

/** A parsed address: an IPv6 address that stands for one of IPv4, mapped or translated, is that one. */
export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** In brackets, perhaps with a port: `[2001:db8::1]:443`. */
const BRACKETS = /^\[([^[\]]*)\](?::[\w.-]+)?$/;
/** IPv4 with a port: `192.0.2.1:443`. */
const IPV4_WITH_PORT = /^([\d.]+):[\w.-]+$/;
/** The longest text that can be one: an IPv6 address with a zone and a port. Expressions take longer for longer texts. */
const MOST_CHARACTERS = 100;
/** Addresses of IPv4 as a translator between both shows them (RFC 6052). */
const TRANSLATED = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Reads an address, with or without brackets, port and zone. Undefined for what is none, and for the short, octal and
 * hexadecimal spellings of IPv4, which different programs read differently.
 */
export function parseIp(text: string): Ip | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const bare = withoutPort(text.trim());
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  const withoutZone = bare.replace(/%.*$/s, "");
  const inHex = withHexTail(withoutZone);
  if (inHex === undefined || !ipaddr.IPv6.isValid(inHex)) return undefined;
  const address = ipaddr.IPv6.parse(inHex);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(TRANSLATED) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/**
 * An IPv6 address that ends as an IPv4 address does, `::ffff:192.0.2.1`, in hexadecimal alone: the library takes `::192.0.2.1`
 * for a mapped one, which it is not.
 */
function withHexTail(address: string): string | undefined {
  const tail = address.slice(address.lastIndexOf(":") + 1);
  if (!tail.includes(".")) return address;
  if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).toByteArray();
  const hex = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(":");
  return address.slice(0, -tail.length) + hex;
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
