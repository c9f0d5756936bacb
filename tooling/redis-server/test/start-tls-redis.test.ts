import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { makeCertificates } from "../src/certificates.ts";
import { startTlsRedis, supportsTls } from "../src/start-tls-redis.ts";

const hasTls = await supportsTls();

describe("startTlsRedis", () => {
  it.skipIf(!hasTls).each(["127.0.0.1", "localhost"])(
    "is trusted as %s by those who trust its authority (needs a server with TLS)",
    async (host) => {
      await using redis = await startTlsRedis();
      const socket = connect({ host, port: redis.tlsPort, ca: redis.ca });
      socket.write("PING\r\n");
      expect(String(await once(socket, "data"))).toBe("+PONG\r\n");
      socket.destroy();
    },
  );

  it.skipIf(!hasTls)("is not trusted by others (needs a server with TLS)", async () => {
    await using redis = await startTlsRedis();
    const socket = connect({ host: redis.host, port: redis.tlsPort });
    const failed = once(socket, "secureConnect");
    await expect(failed).rejects.toMatchObject({ code: "SELF_SIGNED_CERT_IN_CHAIN" });
  });

  it.skipIf(!hasTls)(
    "answers without TLS as well, and asks for a password (needs a server with TLS)",
    async () => {
      await using redis = await startTlsRedis({ password: "secret" });
      expect(await redis.command("PING")).toBe("PONG");
    },
  );

  it.skipIf(hasTls)("says what is missing (needs a server without TLS)", async () => {
    await expect(startTlsRedis()).rejects.toThrow("tls-port");
  });
});

describe("makeCertificates", () => {
  it("makes an authority, and a certificate of its own by it", () => {
    const { ca, certificate } = makeCertificates();
    const authority = new X509Certificate(ca);
    const server = new X509Certificate(certificate);
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.checkIssued(authority)).toBe(true);
    expect(new X509Certificate(makeCertificates().ca).serialNumber).not.toBe(authority.serialNumber);
  });
});
