import type { Store } from "@sluice/core";

/** A store that hands everything on to another one, for a test to change some of it. */
export function passThrough(store: Store): Store {
  return {
    isLocal: store.isLocal,
    multiKey: store.multiKey,
    timeoutMs: store.timeoutMs,
    decide: (...asked) => store.decide(...asked),
    decideAll: (...asked) => store.decideAll(...asked),
    adjust: (...asked) => store.adjust(...asked),
    forget: (limit, key, keepBlock) => store.forget(limit, key, keepBlock),
    block: (limit, key, spanMs) => store.block(limit, key, spanMs),
    setPolicy: (limit, key, policy) => store.setPolicy(limit, key, policy),
    getPolicy: (limit, key) => store.getPolicy(limit, key),
    health: () => store.health(),
  };
}
