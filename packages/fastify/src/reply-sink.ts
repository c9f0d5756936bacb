import type { HeaderSink } from "@sluice/http";
import type { FastifyReply } from "fastify";

/** The headers that a reply will have. */
export function sinkOf(reply: FastifyReply): HeaderSink {
  return {
    get(name) {
      const present = reply.getHeader(name);
      if (present === undefined) return null;
      return Array.isArray(present) ? present.join(", ") : String(present);
    },
    set: (name, value) => reply.header(name, value),
  };
}
