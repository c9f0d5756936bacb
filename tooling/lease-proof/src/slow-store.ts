import type { Store } from "@sluice/core";

/** How long a call is under way before it is decided, and after that. */
export interface Delays {
  readonly thereMs: number;
  readonly backMs: number;
}

/** A store that is so far away. */
export function slowStore(store: Store, delays: () => Delays): Store {
  async function far<Answer>(decide: () => Answer | Promise<Answer>): Promise<Answer> {
    const { thereMs, backMs } = delays();
    await passed(thereMs);
    const answer = await decide();
    await passed(backMs);
    return answer;
  }
  return {
    isLocal: false,
    multiKey: store.multiKey,
    decide: (...call) => far(() => store.decide(...call)),
    decideAll: (...call) => far(() => store.decideAll(...call)),
    adjust: (...call) => far(() => store.adjust(...call)),
    forget: (...call) => far(() => store.forget(...call)),
    block: (...call) => far(() => store.block(...call)),
    setPolicy: (...call) => far(() => store.setPolicy(...call)),
    getPolicy: (...call) => far(() => store.getPolicy(...call)),
    health: () => store.health(),
  };
}

function passed(ms: number): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise((resolve) => void setTimeout(resolve, ms));
}
