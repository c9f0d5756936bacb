import { rateLimit as honoRateLimit } from "@sluice/hono";
import { addressKey, type ClientAddressOptions, clientAddress, rateLimit } from "@sluice/http";
import { leakyBucket } from "@sluice/leaky-bucket";
import { tokenBucket } from "@sluice/token-bucket";
import { Hono } from "hono";

/** What the runtime knows of a connection. */
interface Connection {
  readonly remoteAddress?: string | undefined;
}

/**
 * A limited server as a fetch handler: `/` by the wrapper, `/hono` by the middleware, `/queue` with a turn every 100 ms, and
 * `/ip`, which says by which key its caller is known.
 */
export function createApp(
  options: ClientAddressOptions = {},
): (request: Request, connection: Connection) => Promise<Response> {
  const bucket = (name: string) => tokenBucket({ name, capacity: 2, refill: { tokens: 2, every: "1h" } });
  const user = (request: Request): string => request.headers.get("x-user") ?? "nobody";

  const hello = rateLimit({ limiter: bucket("wrapper"), key: user })(async () => new Response("hello"));
  const hono = new Hono()
    .use(honoRateLimit({ limiter: bucket("hono"), key: ({ req }) => user(req.raw) }))
    .all("*", (context) => context.text("hello"));
  const queue = leakyBucket({ name: "queue", leak: { tokens: 1, every: "100ms" }, capacity: 5 });
  const queued = rateLimit({ limiter: queue, key: user })(async () => new Response(String(Date.now())));

  return async (request, { remoteAddress }) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/hono") return hono.fetch(request);
    if (pathname === "/queue") return queued(request);
    if (pathname !== "/ip") return hello(request);
    return new Response(addressKey(clientAddress({ headers: request.headers, remoteAddress }, options)));
  };
}
