import { Herd } from "./herd.js";
import { perProcess } from "./per-process.js";
import type { Limit, Store } from "./store.js";
import { WaitingLine } from "./waiting-line.js";

/** Where somebody waits: at one key of a limit, or of several limits at once. */
export interface Place {
  readonly store: Store;
  /** One for each limit, as {@link keyId} writes it. */
  readonly keyIds: readonly string[];
}

/** The lines of one store: each by the keys that it is for, all that are for a key, and those that wait for one. */
interface Lines {
  readonly byPlace: Map<string, WaitingLine>;
  readonly byKey: Map<string, Set<WaitingLine>>;
  readonly herds: Map<string, Herd>;
}

/** One set for a process, since two copies of this package may share a store. */
const linesOf: WeakMap<Store, Lines> = perProcess("waiting-lines", 1, () => new WeakMap());

/** Names a key of a limit. */
export function keyId({ space }: Limit, key: string): string {
  return `${space}:{${key}}`;
}

/** The line at a place; it is gone once nobody waits there. */
export function lineAt({ store, keyIds }: Place): WaitingLine {
  const lines = linesOf.get(store) ?? { byPlace: new Map(), byKey: new Map(), herds: new Map() };
  linesOf.set(store, lines);
  const place = keyIds.join(" ");
  const found = lines.byPlace.get(place);
  if (found !== undefined) return found;
  const onEmpty = (): void => {
    // it may end twice, and another one may stand there by then
    if (lines.byPlace.get(place) === line) lines.byPlace.delete(place);
    for (const id of keyIds) {
      const others = lines.byKey.get(id);
      others?.delete(line);
      if (others?.size === 0) lines.byKey.delete(id);
    }
  };
  const herds = {
    at: (id: string): Herd => herdAt(lines.herds, id),
    find: (id: string): Herd | undefined => lines.herds.get(id),
  };
  // at a single key there is one line
  const line = new WaitingLine({ keyIds: keyIds.length > 1 ? keyIds : [], herds, onEmpty });
  lines.byPlace.set(place, line);
  for (const id of keyIds) lines.byKey.set(id, (lines.byKey.get(id) ?? new Set()).add(line));
  return line;
}

/** Something was given back at a key by this process: whoever waits there may be served sooner. */
export function lookAgainAt(store: Store, limit: Limit, key: string): void {
  const lines = linesOf.get(store);
  if (lines === undefined || lines.byKey.size === 0) return;
  const id = keyId(limit, key);
  for (const line of lines.byKey.get(id) ?? []) line.lookAgain();
  lines.herds.get(id)?.lookAgain();
}

function herdAt(herds: Map<string, Herd>, id: string): Herd {
  const found = herds.get(id);
  if (found !== undefined) return found;
  const herd = new Herd(id, () => {
    if (herds.get(id) === herd) herds.delete(id);
  });
  herds.set(id, herd);
  return herd;
}
