import { addFields, type Field } from "@sluice/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { inResponse } from "./in-response.js";
import { sinkOf } from "./reply-sink.js";

/** What a limit has to say about a response: a part of a verdict. */
export interface Announcement {
  readonly fields: readonly Field[];
  readonly answered?: (status: number) => Promise<void>;
}

/** In the order in which the limits have decided. */
const announced = new WeakMap<FastifyReply, Announcement[]>();

/**
 * Adds fields to a response: at once, for handlers that hijack it and copy its headers, and for responses that are written
 * past `onSend` since a hook fails in there; and before it is sent, since handlers may replace and clear headers.
 */
export function announce(reply: FastifyReply, announcement: Announcement): void {
  if (reply.raw.headersSent) return;
  addFields(sinkOf(reply), announcement.fields);
  const others = announced.get(reply);
  if (others === undefined) announced.set(reply, [announcement]);
  else others.push(announcement);
}

/** For `onSend`, which runs again where a hook after it fails, and then for an error. Adding twice changes nothing. */
export async function beforeSending(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const all = announced.get(reply);
  if (all === undefined || reply.raw.headersSent) return payload;
  const sink = sinkOf(reply);
  for (const { fields } of all) addFields(sink, fields);
  if (!(payload instanceof Response)) {
    await settle(reply, reply.statusCode);
    return payload;
  }
  await settle(reply, payload.status);
  return inResponse(
    payload,
    all.flatMap(({ fields }) => fields),
  );
}

/** For `onResponse`: what was sent past `onSend`, by a handler that has hijacked it, say. */
export async function afterResponse(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await settle(reply, reply.statusCode);
}

const settled = new WeakSet<Announcement>();

/** Tells each limit of the status, once. */
async function settle(reply: FastifyReply, status: number): Promise<void> {
  for (const announcement of announced.get(reply) ?? []) {
    if (settled.has(announcement)) continue;
    settled.add(announcement);
    await announcement.answered?.(status);
  }
}
