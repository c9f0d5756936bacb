import { startProxy } from "@sluice/fault-proxy";
import { startRedis } from "@sluice/redis-server";
import { tokenBucket } from "@sluice/token-bucket";
import { Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { Redis as ValkeyClient } from "iovalkey";
import { describe, expect, it, vi } from "vitest";
import { type IoredisClient, ioredisStore } from "../src/index.js";

const limiterOver = (client: IoredisClient) =>
  tokenBucket({
    name: "api",
    capacity: 10,
    refill: { tokens: 10, every: "1h" },
    store: ioredisStore(client, { timeoutMs: 500 }),
  });

describe.each([
  { library: "ioredis 6", open: (port: number, options: object) => new Redis(port, options) },
  { library: "ioredis 5", open: (port: number, options: object) => new Redis5(port, options) },
  { library: "iovalkey", open: (port: number, options: object) => new ValkeyClient(port, options) },
])("a reply that is lost after the command ran, over $library", ({ open }) => {
  it.each([true, false])("leaves one unit taken, auto-pipelining: %s", async (enableAutoPipelining) => {
    await using server = await startRedis();
    await using proxy = await startProxy(server);
    const client = open(proxy.port, { enableAutoPipelining, retryStrategy: () => 10 });
    client.on("error", vi.fn());
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
    client.disconnect();
  });
});
