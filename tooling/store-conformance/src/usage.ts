import type { Limiter } from "@sluice/core";

/** The user that most checks are about. */
export const KEY = "user:42";
/** So long that nothing comes back, and no window ends, while a check runs. */
export const LONG_MS: number = 365 * 86_400_000;

/** How much of a limit a key has used. */
export async function used(limiter: Limiter, key: string = KEY): Promise<number> {
  const { limit, remaining } = await limiter.peek(key);
  return limit - remaining;
}
