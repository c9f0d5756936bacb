import type { Round } from "./demands.ts";

/** What a process of callers is told to do; it answers each order when that is done. */
export type Order =
  | { readonly do: "begin"; readonly round: Round }
  | { readonly do: "tell when answered"; readonly withinMs: number }
  | { readonly do: "stop" }
  /** What the store counts. */
  | { readonly do: "look"; readonly round: Round }
  | { readonly do: "weigh" };

/** Units that the store counts as used, by the title of the demand. */
export type Used = Record<string, number>;

/** What a process holds once garbage is collected. */
export interface Memory {
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Sockets, timers and whatever else the event loop knows. */
  readonly resources: number;
}
