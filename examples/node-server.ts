// An API and a log-in behind limits, on Node's own server and no framework.
//
//   pnpm example node-server
import { createServer, type IncomingMessage } from "node:http";
import { addressKey, clientAddress } from "@sluice/http";
import { rateLimit } from "@sluice/http/node";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();
const key = (request: IncomingMessage) => ["ip", addressKey(clientAddress(request))];

const hello = rateLimit({ limiter: door.api, key })((_request, response) => response.end("hello\n"));
const login = rateLimit({ limiter: door.login, key, refundWhen: succeeded })((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  response.writeHead(loginStatus(searchParams.get("password"))).end();
});

const server = createServer((request, response) => {
  const listener = request.method === "POST" && request.url?.startsWith("/login?") ? login : hello;
  listener(request, response).catch(() => {
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});
server.listen(PORT, HOST, () => open(server, door));
