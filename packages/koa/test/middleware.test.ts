import { createServer } from "node:http";
import { compose } from "@sluice/core";
import { bucket, listen, stillStore } from "@sluice/http-proof";
import { rateLimit } from "@sluice/koa";
import Koa from "koa";
import { expect, it } from "vitest";

async function ask(app: Koa): Promise<{ status: number; text: string; headers: Headers }> {
  await using server = await listen(createServer(app.callback()));
  const response = await fetch(server.url);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

it("refuses in such a way that what comes before it sees the answer", async () => {
  const app = new Koa();
  const statuses: number[] = [];
  app.use(async (context, next) => {
    await next();
    statuses.push(context.status);
  });
  app.use(rateLimit({ limiter: bucket(0), key: "a" }));
  expect((await ask(app)).status).toBe(429);
  expect(statuses).toEqual([429]);
});

it("lets what comes after it run with less, where onLimited goes on by next", async () => {
  const app = new Koa<{ isDegraded?: boolean }>();
  app.use(
    rateLimit({
      limiter: bucket(0),
      key: "a",
      onLimited: (context, next) => {
        context.state.isDegraded = true;
        return next();
      },
    }),
  );
  app.use((context) => {
    context.body = context.state.isDegraded ? "less" : "all";
  });
  const { status, text, headers } = await ask(app);
  expect([status, text, headers.get("ratelimit-policy")]).toEqual([200, "less", '"api";q=0']);
});

it("puts its headers beside those that an error brings along", async () => {
  const app = new Koa();
  app.silent = true;
  app.use(rateLimit({ limiter: bucket(2), key: "a" }));
  app.use((context) => context.throw(409, "taken", { headers: { "x-why": "taken" } }));
  const { status, headers } = await ask(app);
  expect([status, headers.get("x-why"), headers.get("ratelimit")]).toEqual([409, "taken", '"api";r=1;t=30']);
});

it("takes a key by the names of a composite, and no others", () => {
  const store = stillStore();
  const burst = bucket(1, { name: "burst", store });
  const daily = bucket(9, { name: "daily", store });
  const limiter = compose([burst, daily]);
  rateLimit({ limiter, key: (context) => ({ burst: context.path, daily: "all" }) });
  // @ts-expect-error daily is missing
  rateLimit({ limiter, key: (context) => ({ burst: context.path }) });
  const wrong = { limiter, key: "a", keys: "a" };
  expect(() => rateLimit(wrong)).toThrow('unknown option "keys"');
});
