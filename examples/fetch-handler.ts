// An API and a log-in behind limits, as fetch handlers, which Bun, Deno, Workers and Next.js run as well.
//
//   pnpm example fetch-handler
import { createServer } from "node:http";
import { createRequestListener, type FetchHandler } from "@remix-run/node-fetch-server";
import { addressKey, rateLimit } from "@sluice/http";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();
const key = (_request: Request, client: { address: string }) => ["ip", addressKey(client.address)];

const hello = rateLimit({ limiter: door.api, key })(() => new Response("hello\n"));
const login = rateLimit({ limiter: door.login, key, refundWhen: succeeded })((request) => {
  const { searchParams } = new URL(request.url);
  return new Response(null, { status: loginStatus(searchParams.get("password")) });
});

const handler: FetchHandler = (request, client) => {
  const isLogin = request.method === "POST" && new URL(request.url).pathname === "/login";
  return (isLogin ? login : hello)(request, client);
};
const server = createServer(createRequestListener(handler));
server.listen(PORT, HOST, () => open(server, door));
