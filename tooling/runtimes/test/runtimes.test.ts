import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, startBun, startDeno, startWorkers } from "../src/start.ts";

describe.each([
  ["Bun", startBun],
  ["Deno", startDeno],
  ["Workers", startWorkers],
])("on %s", (name, start) => {
  let running: Running;
  let url: string;
  beforeAll(async () => {
    running = await start();
    [url = ""] = running.urls;
  });
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
  });

  /** Three requests of one user, who may make two. */
  async function expectTwoOfThree(address: string): Promise<void> {
    const ask = (): Promise<Response> => fetch(address, { headers: { "x-user": "ada" } });
    const [first, , third] = [await ask(), await ask(), await ask()];
    expect([first.status, await first.text(), third.status]).toEqual([200, "hello", 429]);
    expect(first.headers.get("ratelimit")).toMatch(/^"\w+";r=1;t=1800$/);
    expect(first.headers.get("ratelimit-policy")).toMatch(/^"\w+";q=2;w=3600$/);
    expect(third.headers.get("content-type")).toBe("application/problem+json");
    expect(third.headers.get("retry-after")).toMatch(/^1(800|79\d)$/);
    expect((await fetch(address, { headers: { "x-user": "bob" } })).status).toBe(200);
  }

  it("a fetch handler is limited", async () => {
    await expectTwoOfThree(url);
  });

  it("the middleware of Hono limits", async () => {
    await expectTwoOfThree(`${url}hono`);
  });

  it("requests of a queue are held until their turn", async () => {
    const askedMs = performance.now();
    await Promise.all(Array.from({ length: 4 }, async () => (await fetch(`${url}queue`)).text()));
    expect(performance.now() - askedMs).toBeGreaterThan(250);
  });

  it("the address of a client is known", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1", "cf-connecting-ip": "2001:db8:0:12ff::1" };
    const address = await (await fetch(`${url}ip`, { headers })).text();
    expect(address).toBe(name === "Workers" ? "2001:db8:0:1200::/56" : "127.0.0.1");
  });

  it.skipIf(name === "Workers")("a listener of node:http is limited", async () => {
    await expectTwoOfThree(running.urls[1] ?? "");
  });
});
