import type { Part } from "./composite-call.js";
import type { Decision } from "./decision.js";
import type { StoreError } from "./errors.js";
import { unavailable } from "./unavailable.js";

/** Each limit's own policy decides for it, or else the store's failure stands: what one denies, none takes. */
export async function standInEach(
  parts: readonly Part[],
  error: StoreError,
  commit: boolean,
): Promise<Decision[]> {
  const asked = parts.map(({ member, key, options }) => {
    const { standIn } = member;
    if (standIn === undefined) throw error;
    return () => standIn(key, options, commit);
  });
  const settled = await Promise.allSettled(asked.map((ask) => ask()));
  const decisions = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  if (decisions.length === parts.length && decisions.every(({ allowed }) => allowed)) return decisions;
  const refunds = settled.map(async (each, i) => {
    if (each.status === "fulfilled") await parts[i]?.member.limiter.refund(each.value);
  });
  await Promise.allSettled(refunds);
  const failed = settled.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return decisions.map((decision) => ({ ...decision, taken: 0, receipt: "" }));
}

/** One policy decides for all of them. */
export function unavailableEach(policy: "allow" | "deny", parts: readonly Part[]): Decision[] {
  return parts.map(({ member: { limit, store }, request, question: { key } }) =>
    unavailable(policy, { name: limit.name, limit, key, request, health: store.health() }),
  );
}
