import type { Store } from "@sluice/core";
import type { Subject } from "./subject.ts";
import { UNUSED } from "./unused.ts";

/** What a store is told of a limiter: its kernel and parameters. */
export type Limit = Parameters<Store["decide"]>[0];
/** What a store answers. */
export type Outcome = Awaited<ReturnType<Store["decide"]>>;

const NAME = "proof";

/** A limit of a policy as its limiter hands it to its store. All of them share their keys. */
export function limitOf<Own extends object>(subject: Subject<Own>, own: Own): Limit {
  const seen: Limit[] = [];
  const store: Store = {
    ...UNUSED,
    decide(limit, _key, ask) {
      seen.push(limit);
      return { taken: -1, nowMs: 0, facts: limit.kernel.decide(undefined, 0, ask, limit.params).facts };
    },
    adjust() {
      throw new Error("a limiter that only looks adjusts nothing");
    },
    forget() {},
  };
  void subject.create({ ...own, name: NAME, store }).peek("any");
  const [limit] = seen;
  if (limit === undefined) throw new Error("the limiter did not ask its store");
  return limit;
}
