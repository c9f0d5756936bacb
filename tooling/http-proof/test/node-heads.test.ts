import { createServer } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore } from "@sluice/core";
import { rateLimit } from "@sluice/http/node";
import { leakyBucket } from "@sluice/leaky-bucket";
import { expect, it } from "vitest";
import { bucket } from "../src/index.ts";
import { listen } from "../src/listen.ts";

it.each([
  [
    "pairs",
    [
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
    ],
  ],
  ["a flat list", ["Set-Cookie", "a=1", "Set-Cookie", "b=2"]],
  ["an object", { "Set-Cookie": ["a=1", "b=2"] }],
])("keeps all headers of a head that is written as %s", async (_, headers) => {
  const listener = rateLimit({ limiter: bucket(5), key: "a" })((_request, response) => {
    Reflect.apply(response.writeHead, response, [201, headers]);
    response.end();
  });
  await using server = await listen(createServer((request, response) => void listener(request, response)));
  const response = await fetch(server.url);
  expect([response.status, response.headers.getSetCookie()]).toEqual([201, ["a=1", "b=2"]]);
  expect(response.headers.get("ratelimit")).toBe('"api";r=4;t=12');
});

it("gives a slot back that a client of HTTP/2 has left before it had one", async () => {
  const limiter = leakyBucket({
    name: "queue",
    leak: { tokens: 1, every: "1h" },
    capacity: 5,
    store: memoryStore(),
  });
  await limiter.consume("a");
  const key = async (): Promise<string> => {
    await sleep(100);
    return "a";
  };
  let runs = 0;
  const listener = rateLimit({ limiter, key })(() => {
    runs += 1;
  });
  const http2 = createHttp2Server(
    (request, response) => void Reflect.apply(listener, undefined, [request, response]),
  );
  await new Promise<void>((resolve) => http2.listen(0, "127.0.0.1", resolve));
  const address = http2.address();
  const client = connect(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  const stream = client.request({ ":path": "/" });
  stream.on("error", () => {});
  await sleep(40);
  stream.close(8);
  await sleep(200);
  expect([runs, (await limiter.peek("a")).remaining]).toEqual([0, 5]);
  client.close();
  http2.close();
});
