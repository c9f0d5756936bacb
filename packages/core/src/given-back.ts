import { forgetDenial } from "./deny-cache.js";
import type { Limit, Store } from "./store.js";
import { lookAgainAt } from "./waiting-lines.js";

/** This process has given something back at a key, or changed what holds for it: what it knew of the key is out of date. */
export function givenBackAt(store: Store, limit: Limit, key: string): void {
  forgetDenial(store, limit, key);
  lookAgainAt(store, limit, key);
}
