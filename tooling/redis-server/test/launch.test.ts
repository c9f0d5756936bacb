import { expect, it, vi } from "vitest";
import { freePort } from "../src/free-port.ts";
import { launch } from "../src/launch.ts";
import { startRedis } from "../src/start-redis.ts";

it("tries another port where somebody else was quicker", async () => {
  await using quicker = await startRedis();
  const free = await freePort();
  const findPort = vi.fn(async () => free).mockResolvedValueOnce(quicker.port);
  await using server = await launch({ args: [], findPort });
  expect(findPort).toHaveBeenCalledTimes(2);
  expect(server.port).toBe(free);
  expect(server.pid).not.toBe(quicker.pid);
});
