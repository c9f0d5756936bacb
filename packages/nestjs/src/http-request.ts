import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** A request as both Express and Fastify have it. Say a narrower type where functions among the options need more of it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client as the platform sees it: see `trust proxy` of Express, `trustProxy` of Fastify. */
  readonly ip?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** A response of Express or, as a reply, of Fastify. */
export type HttpResponse = ServerResponse | { readonly raw: ServerResponse };

/** The response of Node's server that is beneath. */
export function rawResponse(response: HttpResponse): ServerResponse {
  return "raw" in response ? response.raw : response;
}
