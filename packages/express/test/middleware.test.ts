import { createServer } from "node:http";
import { compose } from "@sluice/core";
import { rateLimit } from "@sluice/express";
import { bucket, listen, stillStore } from "@sluice/http-proof";
import express, { type Express } from "express";
import { expect, it } from "vitest";

async function ask(app: Express, path = ""): Promise<{ status: number; text: string; headers: Headers }> {
  app.set("env", "test");
  await using server = await listen(createServer(app));
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

it("lets what comes after it run with less, where onLimited goes on by next", async () => {
  const app = express();
  const onLimited: Parameters<typeof rateLimit>[0]["onLimited"] = (_request, response, next) => {
    response.locals.isDegraded = true;
    next();
  };
  app.get("/", rateLimit({ limiter: bucket(0), key: "a", onLimited }), (_request, response) => {
    response.send(response.locals.isDegraded ? "less" : "all");
  });
  const { status, text, headers } = await ask(app);
  expect([status, text, headers.get("ratelimit-policy")]).toEqual([200, "less", '"api";q=0']);
});

it("limits the routes of its router alone", async () => {
  const limited = express.Router().use(rateLimit({ limiter: bucket(0), key: "a" }));
  const app = express().use("/api", limited);
  app.get("/", (_request, response) => {
    response.send("");
  });
  expect([(await ask(app, "api")).status, (await ask(app)).status]).toEqual([429, 200]);
});

it.each([
  ["writes its own head", (response: express.Response) => response.writeHead(201, { "x-own": "1" }).end()],
  ["sends a file that is not there", (response: express.Response) => response.sendFile("/nowhere/at/all")],
  ["streams", (response: express.Response) => response.write("a") && response.end("b")],
  ["redirects", (response: express.Response) => response.redirect("/b")],
])("puts its headers on the response of a handler that %s", async (_, send) => {
  const app = express();
  app.use(rateLimit({ limiter: bucket(4), key: "a" }), (_request, response) => void send(response));
  expect((await ask(app)).headers.get("ratelimit")).toMatch('"api";r=');
});

it("brings an error of refundWhen to the error path, as any other", async () => {
  const refundWhen = (): boolean => {
    throw new Error("no status table");
  };
  const app = express();
  app.use(rateLimit({ limiter: bucket(4), key: "a", refundWhen }), (_request, response) =>
    response.send("hello"),
  );
  expect((await ask(app)).status).toBe(500);
});

it("takes a key, a cost and a reserve by the names of a composite, and no others", () => {
  const store = stillStore();
  const burst = bucket(1, { name: "burst", store });
  const daily = bucket(9, { name: "daily", store });
  const limiter = compose([burst, daily]);
  rateLimit({
    limiter,
    key: (request) => ({ burst: request.path, daily: "all" }),
    cost: { burst: 1, daily: 2 },
  });
  // @ts-expect-error daily is missing
  rateLimit({ limiter, key: (request) => ({ burst: request.path }) });
  // @ts-expect-error there is one limit
  rateLimit({ limiter: bucket(1), key: (request) => ({ burst: request.path }) });
  const wrong = { limiter, key: "a", keys: "a" };
  expect(() => rateLimit(wrong)).toThrow('unknown option "keys"');
});
