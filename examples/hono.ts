// An API and a log-in behind limits, on Hono.
//
//   pnpm example hono
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { addressKey, rateLimit } from "@sluice/hono";
import { type Context, Hono } from "hono";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();
const key = (context: Context) => ["ip", addressKey(getConnInfo(context).remote.address ?? "")];
const app = new Hono();

app.get("/", rateLimit({ limiter: door.api, key }), (context) => context.text("hello\n"));
app.post("/login", rateLimit({ limiter: door.login, key, refundWhen: succeeded }), (context) =>
  context.body(null, loginStatus(context.req.query("password"))),
);

const server = createServer(getRequestListener(app.fetch));
server.listen(PORT, HOST, () => open(server, door));
