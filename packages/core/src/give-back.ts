import type { Outcome, Question, Store } from "./store.js";

/** Takes back what a question was granted, and tells what stands then; undefined where nothing was. */
export async function giveBack(
  store: Pick<Store, "adjust">,
  { limit, key }: Question,
  { taken, facts }: Outcome,
): Promise<Outcome | undefined> {
  return taken > 0 ? store.adjust(limit, key, { delta: -taken, granted: facts }, true) : undefined;
}
