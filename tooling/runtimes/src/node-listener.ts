import { createServer } from "node:http";
import { rateLimit } from "@sluice/http/node";
import { tokenBucket } from "@sluice/token-bucket";

/** Starts a limited server by `node:http` of whatever runtime this is, and resolves with its address. */
export async function startNodeListener(): Promise<string> {
  const limiter = tokenBucket({ name: "node", capacity: 2, refill: { tokens: 2, every: "1h" } });
  const key = (request: { headers: Record<string, unknown> }): string => String(request.headers["x-user"]);
  const listener = rateLimit({ limiter, key })((_request, response) => response.end("hello"));
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
}
