import type { AnyDecision, CompositeGateOptions, GateOptions } from "@sluice/http";
import type { Listening } from "./listen.ts";

/** A request, as every framework can show it. */
export interface Seen {
  readonly method: string;
  header(name: string): string | undefined;
}

/** A response, as every framework can send it. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The options of one limiting layer. */
export type OwnOptions = (GateOptions<[Seen]> | CompositeGateOptions<string, [Seen]>) & {
  onLimited?: (seen: Seen, decision: AnyDecision) => Reply;
};

/** One path of a server: what limits it, and what it does. */
export interface Route {
  /** Layers, the outermost first. */
  readonly limits: readonly OwnOptions[];
  /** The handler. Throws or rejects where it is broken. */
  readonly handle: (seen: Seen, request: object) => Reply | Promise<Reply>;
  /** Whether something before the limits has sent the response `early` and goes on nevertheless. */
  readonly sendsEarly: boolean;
  /** To be called by the error path of the framework, which then answers as it does by itself. */
  readonly onError: (error: unknown) => void;
}

/** How an adapter joins. */
export interface Adapter {
  readonly name: string;
  /** Whether a response can be sent before a limiting layer is reached. */
  readonly canSendEarly: boolean;
  /** Whether several layers can stand one before another; default yes. */
  readonly canStack?: boolean;
  /** Starts a server of the framework that answers every path, and all methods that there are, by the route. */
  serve(route: Route): Promise<Listening>;
}
