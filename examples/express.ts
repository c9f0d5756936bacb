// An API and a log-in behind limits, on Express.
//
//   pnpm example express
import { addressKey, clientAddress, rateLimit } from "@sluice/express";
import express, { type Request } from "express";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();
const key = (request: Request) => ["ip", addressKey(clientAddress(request))];
const app = express();

app.get("/", rateLimit({ limiter: door.api, key }), (_request, response) => {
  response.send("hello\n");
});
app.post("/login", rateLimit({ limiter: door.login, key, refundWhen: succeeded }), (request, response) => {
  response.sendStatus(loginStatus(request.query.password));
});

const server = app.listen(PORT, HOST, () => open(server, door));
