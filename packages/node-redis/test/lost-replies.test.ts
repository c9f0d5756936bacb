import { startProxy } from "@sluice/fault-proxy";
import { startRedis } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { createClient } from "redis";
import { createClient as createClient5 } from "redis-5";
import { describe, expect, it, vi } from "vitest";
import { type NodeRedisClient, nodeRedisStore } from "../src/index.js";

const limiterOver = (client: NodeRedisClient) =>
  tokenBucket({
    name: "api",
    capacity: 10,
    refill: { tokens: 10, every: "1h" },
    store: nodeRedisStore(client, { timeoutMs: 500 }),
  });

describe.each([
  { major: 6, open: (port: number) => createClient({ socket: { port } }) },
  { major: 5, open: (port: number) => createClient5({ socket: { port } }) },
])("a reply that is lost after the command ran, over node-redis $major", ({ open }) => {
  it("leaves one unit taken", async () => {
    await using server = await startRedis();
    await using proxy = await startProxy(server);
    const client = open(proxy.port);
    client.on("error", vi.fn());
    await client.connect();
    const limiter = limiterOver(client);
    await limiter.peek("b");
    proxy.behave({ replies: "swallow" });
    const lost = [limiter.consume("a"), limiter.consume("a")];
    for (const call of lost) call.catch(vi.fn());
    await vi.waitFor(async () => expect(await server.command("EXISTS", "sluice:api:bucket.1:{a}")).toBe(1));
    proxy.behave({});
    proxy.cut();
    for (const call of lost) {
      await expect(call).rejects.toMatchObject({ code: "ERR_SLUICE_STORE", mayHaveCounted: true });
    }
    expect(await limiter.consume("a")).toMatchObject({ remaining: 7 });
    client.destroy();
  });
});
