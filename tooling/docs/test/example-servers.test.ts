import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "@sluice/packaging/build";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";
import { startExample } from "../src/example-server.ts";

const FOLDER = join(ROOT, "examples");
const servers = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ts"))
  .filter((file) => readFileSync(join(FOLDER, file), "utf8").includes("await openFrontDoor()"))
  .map((file) => file.slice(0, -".ts".length));

let redis: RedisServer;
beforeAll(async () => {
  [redis] = await Promise.all([startRedis(), build()]);
}, 180_000);
afterAll(async () => {
  await redis?.stop();
});

it("there is a server for each framework", () => {
  expect(servers).toEqual(["express", "fastify", "fetch-handler", "hono", "koa", "nestjs", "node-server"]);
});

// every second one on Redis, each in a database of its own
describe.each(servers.map((name, index) => ({ name, index })))("$name", ({ name, index }) => {
  it("limits its API, and only those log-ins that fail", async () => {
    const server = await startExample(name, index % 2 === 0 ? "" : `${redis.url}/${index}`);
    try {
      expect(server.commands).toContain(`curl -i ${server.url}`);
      const api = async (): Promise<Response> => fetch(server.url);
      const login = async (password: string): Promise<number> =>
        (await fetch(`${server.url}login?password=${password}`, { method: "POST" })).status;

      const first = await api();
      expect([first.status, await first.text()]).toEqual([200, "hello\n"]);
      expect(first.headers.get("ratelimit")).toMatch(/^"api";r=4;t=[12]$/);
      for (let left = 4; left > 0; left -= 1) await api();
      expect((await api()).status).toBe(429);

      for (let time = 1; time <= 5; time += 1) expect(await login("sesame")).toBe(200);
      expect([await login("a"), await login("b"), await login("c")]).toEqual([401, 401, 401]);
      expect(await login("sesame")).toBe(429);
    } finally {
      expect(await server.stop()).toBe(0);
    }
  });
});
