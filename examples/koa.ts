// An API and a log-in behind limits, on Koa.
//
//   pnpm example koa
import { addressKey, clientAddress, rateLimit } from "@sluice/koa";
import Koa, { type Context } from "koa";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();
const key = ({ req }: Context) => ["ip", addressKey(clientAddress(req))];
const isLogin = ({ method, path }: Context): boolean => method === "POST" && path === "/login";
const app = new Koa();

app.use(rateLimit({ limiter: door.api, key, skip: isLogin }));
app.use(rateLimit({ limiter: door.login, key, skip: (context) => !isLogin(context), refundWhen: succeeded }));
app.use((context) => {
  if (isLogin(context)) context.status = loginStatus(context.query.password);
  else context.body = "hello\n";
});

const server = app.listen(PORT, HOST, () => open(server, door));
