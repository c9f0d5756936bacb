import type { Store } from "@sluice/core";

/** A store that hands everything on to another one, for a test to change some of it. */
export function passThrough(store: Store): Store {
  return {
    multiKey: store.multiKey,
    decide: (limit, key, ask) => store.decide(limit, key, ask),
    decideAll: (questions) => store.decideAll(questions),
    adjust: (limit, key, change) => store.adjust(limit, key, change),
    forget: (limit, key, keepBlock) => store.forget(limit, key, keepBlock),
    block: (limit, key, spanMs) => store.block(limit, key, spanMs),
    setPolicy: (limit, key, policy) => store.setPolicy(limit, key, policy),
    getPolicy: (limit, key) => store.getPolicy(limit, key),
    health: () => store.health(),
  };
}
