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

/** Runs a function that may send a reply and, where it does, resolves with true when that is sent. */
export async function isAnsweredBy(answer: () => unknown, reply: FastifyReply): Promise<boolean> {
  const { is404 } = reply.request;
  const sends = await whetherSends(answer, reply);
  const isNotFound = reply.request.is404 !== is404;
  if (!sends && !isNotFound && !reply.sent && !reply.raw.destroyed) return false;
  await ended(reply);
  return true;
}

/** `reply.sent` is not true before the response has ended, which takes a while where hooks and streams do. */
async function whetherSends(answer: () => unknown, reply: FastifyReply): Promise<boolean> {
  const { send } = reply;
  let sends = false;
  reply.send = (...payload) => {
    sends = true;
    return send.apply(reply, payload);
  };
  try {
    await answer();
  } finally {
    // that of the prototype again
    Reflect.deleteProperty(reply, "send");
  }
  return sends;
}

/** Resolves when the response has ended, or its client has left. After it Fastify goes no further. */
async function ended(reply: FastifyReply): Promise<void> {
  await new Promise<void>((resolve) => reply.then(resolve, () => resolve()));
  // or Fastify would run the handler where a client leaves before a slow hook lets its refusal go
  if (!reply.sent) reply.hijack();
}
