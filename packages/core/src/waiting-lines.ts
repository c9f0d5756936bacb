import { perProcess } from "./per-process.js";
import type { Limit, Store } from "./store.js";
import { WaitingLine } from "./waiting-line.js";

/** Where somebody waits: at one key of a limit, or of several limits at once. */
export interface Place {
  readonly store: Store;
  /** One for each limit, as {@link keyId} writes it. */
  readonly keyIds: readonly string[];
}

/** The lines of one store: each by the keys that it is for, and all that are for a key. */
interface Lines {
  readonly byPlace: Map<string, WaitingLine>;
  readonly byKey: Map<string, Set<WaitingLine>>;
}

/** One set for a process, since two copies of this package may share a store. */
const linesOf: WeakMap<Store, Lines> = perProcess("waiting-lines", 1, () => new WeakMap());

/** Names a key of a limit. */
export function keyId({ space }: Limit, key: string): string {
  return `${space}:{${key}}`;
}

/** The line at a place; it is gone once nobody waits there. */
export function lineAt({ store, keyIds }: Place): WaitingLine {
  const lines = linesOf.get(store) ?? { byPlace: new Map(), byKey: new Map() };
  linesOf.set(store, lines);
  const place = keyIds.join(" ");
  const found = lines.byPlace.get(place);
  if (found !== undefined) return found;
  const line = new WaitingLine(() => {
    // it may end twice, and another one may stand there by then
    if (lines.byPlace.get(place) === line) lines.byPlace.delete(place);
    for (const id of keyIds) {
      const others = lines.byKey.get(id);
      others?.delete(line);
      if (others?.size === 0) lines.byKey.delete(id);
    }
  });
  lines.byPlace.set(place, line);
  for (const id of keyIds) lines.byKey.set(id, (lines.byKey.get(id) ?? new Set()).add(line));
  return line;
}

/** Something was given back at a key by this process: whoever waits there may be served sooner. */
export function lookAgainAt(store: Store, limit: Limit, key: string): void {
  const lines = linesOf.get(store)?.byKey;
  if (lines === undefined || lines.size === 0) return;
  for (const line of lines.get(keyId(limit, key)) ?? []) line.lookAgain();
}
