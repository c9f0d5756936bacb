// An API and a log-in behind limits, on Fastify.
//
//   pnpm example fastify
import { addressKey, rateLimit } from "@sluice/fastify";
import { fastify } from "fastify";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();
const app = fastify();

await app.register(rateLimit, { limiter: door.api, key: ({ ip }) => ["ip", addressKey(ip)] });
app.get("/", () => "hello\n");
app.post<{ Querystring: { password?: string } }>(
  "/login",
  { config: { rateLimit: { limiter: door.login, refundWhen: succeeded } } },
  (request, reply) => reply.code(loginStatus(request.query.password)).send(),
);

await app.listen({ port: PORT, host: HOST });
open(app.server, door);
