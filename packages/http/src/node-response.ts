import type { ServerResponse } from "node:http";
import onHeaders from "on-headers";
import type { AnyDecision } from "./any-decision.js";
import { addFields, type Field, type HeaderSink, headerSink } from "./field.js";
import type { Admitted, Refused, Verdict } from "./gate.js";
import { holdOpen, isAbandoned } from "./node-hold.js";

/** What happens to a response in the moment in which its head is written. */
export interface Head {
  /** Are added. */
  readonly fields: readonly Field[];
  /** Is told of the status, unless the client has left: who asks and hangs up gets nothing back. What it throws is thrown. */
  readonly answered?: (status: number) => unknown;
}

/** In the order in which they were added, of which a listener for each would make the reverse. */
const heads = new WeakMap<ServerResponse, Head[]>();

/**
 * Does what a verdict says to a response of Node's server, and tells whether the handler is to run.
 *
 * @param onLimited answers a denied request in place of the refusal
 */
export async function conclude(
  response: ServerResponse,
  verdict: Verdict,
  onLimited: ((decision: AnyDecision) => unknown) | undefined,
): Promise<boolean> {
  if (verdict.kind === "unlimited") return true;
  if (verdict.kind === "admitted") return admit(response, verdict);
  announce(response, verdict.fields);
  if (onLimited === undefined || verdict.decision === undefined) refuse(response, verdict);
  else await onLimited(verdict.decision);
  return false;
}

/**
 * Adds fields to a response when its head is written, whoever writes it: an error handler that has cleared all headers, too.
 * Does nothing to a response that was sent already.
 */
export function announce(response: ServerResponse, fields: readonly Field[]): void {
  atHead(response, { fields });
}

/**
 * Announces the fields, gives back by status, and holds the request for as long as it has to be held. Resolves with false
 * where the client has left meanwhile: then there is nothing to do.
 */
export async function admit(response: ServerResponse, verdict: Admitted): Promise<boolean> {
  atHead(response, verdict);
  return holdOpen(response, verdict);
}

/** Sends a refusal, unless a response was sent already. */
export function refuse(response: ServerResponse, { refusal }: Refused): void {
  if (response.headersSent) return;
  response.statusCode = refusal.status;
  for (const { name, value } of refusal.headers) response.setHeader(name, value);
  response.end(refusal.body);
}

/** Does something in the moment in which the head of a response is written; nothing to one that was sent already. */
export function atHead(response: ServerResponse, head: Head): void {
  if (response.headersSent) return;
  const others = heads.get(response);
  if (others !== undefined) {
    others.push(head);
    return;
  }
  const all = [head];
  heads.set(response, all);
  onHeaders(response, () => {
    for (const { fields } of all) addFields(headersOf(response), fields);
    if (isAbandoned(response)) return;
    for (const { answered } of all) answered?.(response.statusCode);
  });
  flattenHeads(response);
}

/**
 * Makes pairs of names and values, which Node understands where no other header is set, the list of both that it understands
 * always. Of pairs the library `on-headers` would keep but the last of a name.
 */
function flattenHeads(response: ServerResponse): void {
  const { writeHead } = response;
  const value = (...args: unknown[]): unknown =>
    Reflect.apply(
      writeHead,
      response,
      args.map((arg) => (Array.isArray(arg) ? arg.flat() : arg)),
    );
  Object.defineProperty(response, "writeHead", { value, configurable: true, writable: true });
}

function headersOf(response: ServerResponse): HeaderSink {
  return headerSink(
    (name) => response.getHeader(name),
    (name, value) => response.setHeader(name, value),
  );
}
