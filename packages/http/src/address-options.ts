import { InvalidPolicyError } from "@sluice/core";
import { checkKnown, shown, whole } from "./checks.js";
import { type Network, parseNetwork } from "./network.js";

/** Whom {@link clientAddress} believes. By default nobody: then the address is that of the connection. */
export interface ClientAddressOptions {
  /** How many proxies of yours a request has passed, from 0, default 0: the address is what the first of them has seen. */
  trustedHops?: number | undefined;
  /** Instead: the addresses or networks of your proxies, such as `"10.0.0.0/8"`. The last that is not among them counts. */
  trustedProxies?: readonly string[] | undefined;
  /** The header to which your proxies add; default `"x-forwarded-for"`. That of RFC 7239 is `"forwarded"`. */
  header?: string | undefined;
}

/** The options as they are meant. */
export interface Trust {
  readonly hops: number;
  readonly proxies: readonly Network[] | undefined;
  readonly header: string;
}

const MOST_HOPS = 100;

/** @throws InvalidPolicyError */
export function readTrust(options: ClientAddressOptions): Trust {
  checkKnown("clientAddress", options, ["trustedHops", "trustedProxies", "header"]);
  const { trustedHops, trustedProxies, header = "x-forwarded-for" } = options;
  if (trustedHops !== undefined && trustedProxies !== undefined) {
    throw new InvalidPolicyError(
      "clientAddress: trustedHops and trustedProxies are two ways to say it: take one",
    );
  }
  if (typeof header !== "string" || !/^[\w-]+$/.test(header)) {
    throw new InvalidPolicyError(
      `clientAddress: header must be the name of one, such as "forwarded", got ${shown(header)}`,
    );
  }
  const hops = whole("clientAddress: trustedHops", trustedHops ?? 0, 0, MOST_HOPS);
  if (options.header !== undefined && hops === 0 && trustedProxies === undefined) {
    throw new InvalidPolicyError(
      `clientAddress: the header ${shown(header)} is believed only with trustedHops (from 1) or trustedProxies`,
    );
  }
  return { hops, proxies: trustedProxies && networks(trustedProxies), header: header.toLowerCase() };
}

function networks(proxies: unknown): Network[] {
  if (!Array.isArray(proxies) || proxies.length === 0) {
    throw new InvalidPolicyError(
      `clientAddress: trustedProxies must be a list of addresses or networks, such as ["10.0.0.0/8"], got ${shown(proxies)}`,
    );
  }
  return proxies.map((proxy: unknown) => {
    const network = typeof proxy === "string" ? parseNetwork(proxy) : undefined;
    if (network !== undefined) return network;
    throw new InvalidPolicyError(
      `clientAddress: trustedProxies must hold addresses or networks, such as "10.0.0.0/8", got ${shown(proxy)}`,
    );
  });
}
