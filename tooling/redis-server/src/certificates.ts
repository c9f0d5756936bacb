import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import * as der from "./der.ts";

const ECDSA_SHA256 = der.sequence(der.objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = der.objectId("2.5.4.3");
const DAY_MS = 24 * 60 * 60 * 1000;

/** An authority of its own, and what a server on loopback needs to be trusted by whoever trusts that: PEM. */
export interface Certificates {
  ca: string;
  certificate: string;
  key: string;
}

/** Makes an authority and a certificate by it for `localhost` and `127.0.0.1`, which are good for a day. */
export function makeCertificates(): Certificates {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { name: "Test authority", key: authority.privateKey };
  return {
    ca: certify(issuer, issuer.name, authority.publicKey, [mayCertify()]),
    certificate: certify(issuer, "localhost", server.publicKey, [isLoopback()]),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A certificate by `issuer` that `publicKey` is the one of `subject`. */
function certify(
  issuer: { name: string; key: KeyObject },
  subject: string,
  publicKey: KeyObject,
  extensions: Buffer[],
): string {
  const nowMs = Date.now();
  const statement = der.sequence(
    der.wrapped(0, der.integer(Buffer.from([2]))), // the third version counts as 2
    der.integer(Buffer.from([1, ...randomBytes(7)])),
    ECDSA_SHA256,
    commonName(issuer.name),
    // Of clocks that differ a little, none shall find it is not valid yet.
    der.sequence(der.time(new Date(nowMs - DAY_MS)), der.time(new Date(nowMs + DAY_MS))),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der.wrapped(3, der.sequence(...extensions)),
  );
  const signature = der.bitString(sign("sha256", statement, issuer.key));
  return pem(der.sequence(statement, ECDSA_SHA256, signature));
}

function commonName(text: string): Buffer {
  return der.sequence(der.set(der.sequence(COMMON_NAME, der.utf8String(text))));
}

/** Extension "basic constraints": an authority. */
function mayCertify(): Buffer {
  const constraints = der.sequence(der.boolean(true));
  return der.sequence(der.objectId("2.5.29.19"), der.boolean(true), der.octetString(constraints));
}

/** Extension "subject alternative name": a host name is number 2 there, an address number 7. */
function isLoopback(): Buffer {
  const names = der.sequence(
    der.field(2, Buffer.from("localhost")),
    der.field(7, Buffer.from([127, 0, 0, 1])),
  );
  return der.sequence(der.objectId("2.5.29.17"), der.octetString(names));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
