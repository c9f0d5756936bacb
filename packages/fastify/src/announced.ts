import { type Admitted, addFields, type Refused } from "@sluice/http";
import { atHead } from "@sluice/http/node";
import type { FastifyReply } from "fastify";
import { sinkOf } from "./reply-sink.js";

/**
 * Adds fields to a response: at once, so that hooks and handlers see them; and when its head is written, whoever writes it,
 * since handlers may replace and clear headers. Adding twice changes nothing. The limit is told of the status at the head, too:
 * a hook or a stream that fails may change it until then.
 */
export function announce(reply: FastifyReply, verdict: Admitted | Refused): void {
  const { raw } = reply;
  if (raw.headersSent) return;
  const { fields } = verdict;
  addFields(sinkOf(reply), fields);
  if (verdict.kind === "refused") atHead(raw, { fields });
  else atHead(raw, { fields, answered: (status) => tell(reply, verdict, status) });
}

/** What is thrown here could not be answered any more. */
async function tell(reply: FastifyReply, verdict: Admitted, status: number): Promise<void> {
  try {
    await verdict.answered(status);
  } catch (error) {
    reply.log.error({ err: error }, "rateLimit: refundWhen has failed");
  }
}
