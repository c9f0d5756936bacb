import { parseList } from "structured-headers";

/** A quota that the other side tells of: what remains, and the seconds until there is more. */
interface Quota {
  readonly remaining: unknown;
  readonly resetS: number;
}

/**
 * After how many seconds the quotas of a `RateLimit` field (draft-ietf-httpapi-ratelimit-headers) let a call pass: the
 * longest of those that are used up or, where none is, of all. Undefined where the field tells of none.
 */
export function rateLimitResetS(field: string | null): number | undefined {
  const quotas = quotasIn(field ?? "");
  const usedUp = quotas.filter(({ remaining }) => remaining === 0);
  const resetsS = (usedUp.length > 0 ? usedUp : quotas).map(({ resetS }) => resetS);
  return resetsS.length > 0 ? Math.max(...resetsS) : undefined;
}

function quotasIn(field: string): Quota[] {
  try {
    return parseList(field).flatMap(([, parameters]) => {
      const resetS = parameters.get("t");
      return typeof resetS === "number" && resetS >= 0 ? [{ remaining: parameters.get("r"), resetS }] : [];
    });
  } catch {
    return [];
  }
}
