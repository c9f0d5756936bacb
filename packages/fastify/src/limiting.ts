import { holdOpen } from "@sluice/http/node";
import type { FastifyReply, FastifyRequest } from "fastify";
import { announce } from "./announced.js";
import { answerBy, refuse } from "./answer.js";
import type { Limit } from "./limit.js";

/** The limits that have counted a request: each does it once, also where one stands in several hooks. */
const counted = new WeakMap<FastifyRequest, Set<Limit>>();

/**
 * Lets a limit decide. Resolves when Fastify may go on, or has nothing left to do since the response was sent. Rejects with
 * what the functions among the options and the limiter throw.
 */
export async function applyLimit(limit: Limit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (isCounted(limit, request)) return;
  const verdict = await limit.gate(request.method, request, reply);
  if (verdict.kind === "unlimited") return;
  announce(reply, verdict);
  if (verdict.kind === "admitted") {
    if (!(await holdOpen(reply.raw, verdict))) reply.hijack();
    return;
  }
  const { onLimited } = limit;
  const { decision } = verdict;
  if (onLimited === undefined || decision === undefined) await refuse(reply, verdict);
  else await answerBy(() => onLimited(request, reply, decision), reply);
}

function isCounted(limit: Limit, request: FastifyRequest): boolean {
  const limits = counted.get(request);
  if (limits === undefined) counted.set(request, new Set([limit]));
  else if (limits.has(limit)) return true;
  else limits.add(limit);
  return false;
}
