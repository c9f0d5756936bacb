import { makeCertificates } from "./certificates.ts";
import { freePortPair } from "./free-port.ts";
import { launch } from "./launch.ts";
import type { RedisServer } from "./redis-server.ts";
import { startRedis } from "./start-redis.ts";

export interface StartTlsRedisOptions {
  /** Further arguments of the server; they win over our own. */
  args?: readonly string[];
  /** What clients have to say first; by default nothing. */
  password?: string;
}

/** A server that speaks TLS too, at a port of its own. */
export interface TlsRedisServer extends RedisServer {
  readonly tlsPort: number;
  /** The certificate of the authority that clients have to trust, as PEM. */
  readonly ca: string;
}

/**
 * Starts a server that also listens for TLS, with certificates that are made for it. Clients need none.
 *
 * @throws {Error} where the server at hand was built without TLS: see `supportsTls`
 */
export async function startTlsRedis(options: StartTlsRedisOptions = {}): Promise<TlsRedisServer> {
  const { ca, certificate, key } = makeCertificates();
  const server = await launch({
    password: options.password,
    findPort: () => freePortPair(1),
    files: { "ca.crt": ca, "server.crt": certificate, "server.key": key },
    args: (port) => [
      ...["--tls-port", String(port + 1), "--tls-auth-clients", "no", "--tls-ca-cert-file", "ca.crt"],
      ...["--tls-cert-file", "server.crt", "--tls-key-file", "server.key"],
      ...(options.args ?? []),
    ],
  });
  return Object.assign(server, { tlsPort: server.port + 1, ca });
}

/** Whether the server at hand was built with TLS. */
export async function supportsTls(): Promise<boolean> {
  await using redis = await startRedis();
  const setting = await redis.command("CONFIG", "GET", "tls-port");
  return Array.isArray(setting) && setting.length > 0;
}
