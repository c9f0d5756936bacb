import type { Refused } from "@sluice/http";
import type { FastifyReply } from "fastify";
import { sinkOf } from "./reply-sink.js";

/** Sends a refusal, and resolves when it is sent. Of a response that was begun already it keeps the handler away. */
export async function refuse(reply: FastifyReply, { refusal }: Refused): Promise<void> {
  if (reply.sent) return;
  if (reply.raw.headersSent) {
    reply.hijack();
    return;
  }
  const sink = sinkOf(reply);
  for (const { name, value } of refusal.headers) sink.set(name, value);
  reply.code(refusal.status).send(refusal.body);
  await ended(reply);
}

/**
 * Runs a function that may send a reply or return what is to be sent, and resolves when that is sent. Where there is neither,
 * Fastify goes on.
 */
export async function answerBy(answer: () => unknown, reply: FastifyReply): Promise<void> {
  const { is404 } = reply.request;
  const { sends, returned } = await watch(answer, reply);
  const isNotFound = reply.request.is404 !== is404;
  const isAnswered = sends || isNotFound || reply.sent || reply.raw.destroyed;
  if (!isAnswered) {
    if (returned === undefined) return;
    // who has begun the response will end it
    if (reply.raw.headersSent) {
      reply.hijack();
      return;
    }
    if (reply.statusCode === 200 && !hasStatus(returned)) reply.code(429);
    reply.send(returned);
  }
  await ended(reply);
}

/** Whether an error says by which status it is to be answered. */
function hasStatus(returned: unknown): boolean {
  return returned instanceof Error && ("statusCode" in returned || "status" in returned);
}

/** `reply.sent` is not true before the response has ended, which takes a while where hooks and streams do. */
async function watch(
  answer: () => unknown,
  reply: FastifyReply,
): Promise<{ sends: boolean; returned: unknown }> {
  const { send } = reply;
  let sends = false;
  reply.send = (...payload) => {
    sends = true;
    return send.apply(reply, payload);
  };
  try {
    const returned = await answer();
    return { sends, returned };
  } finally {
    // that of the prototype again
    Reflect.deleteProperty(reply, "send");
  }
}

/** Resolves when the response has ended, or its client has left. After it Fastify goes no further. */
async function ended(reply: FastifyReply): Promise<void> {
  await new Promise<void>((resolve) => reply.then(resolve, () => resolve()));
  // or Fastify would run the handler where a client leaves before a slow hook lets its refusal go
  if (!reply.sent) reply.hijack();
}
