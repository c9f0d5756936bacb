import { type HeaderSink, headerSink } from "@sluice/http";
import type { FastifyReply } from "fastify";

/** The headers that a reply will have. */
export function sinkOf(reply: FastifyReply): HeaderSink {
  return headerSink(
    (name) => reply.getHeader(name),
    (name, value) => reply.header(name, value),
  );
}
