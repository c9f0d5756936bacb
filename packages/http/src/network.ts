import { bitsOf, canonical, type Ip, networkOf, parseIp } from "./ip.js";

/** An address and how many of its bits, from the first on, name the network. */
export interface Network {
  readonly ip: Ip;
  readonly prefix: number;
}

const SUFFIX = /^(.*)\/(\d{1,3})$/s;

/** Reads an address, or a network such as `10.0.0.0/8`. Undefined for what is neither. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = text, suffix] = SUFFIX.exec(text) ?? [];
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  const bits = bitsOf(ip);
  if (suffix === undefined) return { ip, prefix: bits };
  // of an IPv4-mapped address the first 96 bits say only that it is one
  const prefix = Number(suffix) - (bits === 32 && address.includes(":") ? 96 : 0);
  return prefix >= 0 && prefix <= bits ? { ip, prefix } : undefined;
}

/** Whether an address lies in a network. */
export function contains({ ip, prefix }: Network, address: Ip): boolean {
  return (
    ip.kind() === address.kind() && canonical(networkOf(ip, prefix)) === canonical(networkOf(address, prefix))
  );
}
