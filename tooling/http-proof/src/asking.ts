import { type Limiter, memoryStore, type Store } from "@sluice/core";
import { manualClock } from "@sluice/core/testing";
import { tokenBucket } from "@sluice/token-bucket";
import type { Adapter, OwnOptions, Reply, Route, Seen } from "./route.ts";

/** A response as a client has it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A server while a test runs, and what happened in it. */
export interface Asking extends AsyncDisposable {
  readonly ask: (init?: RequestInit) => Promise<Answer>;
  /** How often its handler has run. */
  readonly runs: () => number;
  readonly errors: readonly unknown[];
}

type Handle = (seen: Seen, request: object) => Reply | Promise<Reply>;

const hello: Handle = () => ({ status: 200, text: "hello" });

/** Starts a server with one limited route. */
export async function serve(
  adapter: Adapter,
  limits: OwnOptions | readonly OwnOptions[],
  handle: Handle = hello,
  others: Partial<Route> = {},
): Promise<Asking> {
  let runs = 0;
  const errors: unknown[] = [];
  const server = await adapter.serve({
    limits: Array.isArray(limits) ? limits : [limits],
    handle: (seen, request) => {
      runs += 1;
      return handle(seen, request);
    },
    sendsEarly: false,
    onError: (error) => errors.push(error),
    ...others,
  });
  return {
    async ask(init) {
      const response = await fetch(server.url, init);
      return { status: response.status, text: await response.text(), headers: response.headers };
    },
    runs: () => runs,
    errors,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A bucket that is refilled once a minute, in a time that stands still. */
export function bucket(capacity: number): Limiter<"api">;
export function bucket<Name extends string>(
  capacity: number,
  own: { name: Name; store?: Store },
): Limiter<Name>;
export function bucket(
  capacity: number,
  { name, store = stillStore() }: { name: string; store?: Store } = { name: "api" },
): Limiter<string> {
  const refill = { tokens: Math.max(1, capacity), every: "1m" };
  return tokenBucket({ name, capacity, refill, store });
}

export function stillStore(): Store {
  return memoryStore({ clock: manualClock(1_700_000_000_000) });
}
