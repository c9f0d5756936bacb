import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connectResp, startRedis } from "@sluice/redis-server";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { startProxy } from "../src/index.ts";

const redis = await startRedis();
const proxy = await startProxy(redis);
afterAll(async () => {
  await proxy.stop();
  await redis.stop();
});
beforeEach(async () => {
  proxy.behave({});
  await redis.command("FLUSHALL");
});

const NOT_YET = Symbol("not yet");
const soon = (reply: Promise<unknown>): Promise<unknown> =>
  Promise.race([reply, new Promise((resolve) => setTimeout(resolve, 100, NOT_YET))]);

it("passes everything on", async () => {
  const client = await connectResp(proxy);
  const replies = await Promise.all([client.send("SET", ["a", "1"]), client.send("INCR", ["a"])]);
  expect(replies).toEqual(["OK", 2]);
  client.close();
});

it("breaks the connections that are open, and lets new ones in", async () => {
  const client = await connectResp(proxy);
  const blocked = expect(client.send("BLPOP", ["a", "0"])).rejects.toThrow();
  await vi.waitFor(async () => expect(await redis.command("INFO", "clients")).toMatch("blocked_clients:1"));
  proxy.cut();
  await blocked;
  const next = await connectResp(proxy);
  expect(await next.send("PING", [])).toBe("PONG");
  next.close();
});

it("drops a reply after the command ran", async () => {
  const client = await connectResp(proxy);
  proxy.behave({ replies: "swallow" });
  expect(await soon(client.send("INCR", ["a"]).catch(() => {}))).toBe(NOT_YET);
  expect(await redis.command("GET", "a")).toBe("1");
  client.close();
});

it("drops a command before it runs", async () => {
  const client = await connectResp(proxy);
  proxy.behave({ requests: "swallow" });
  expect(await soon(client.send("INCR", ["a"]).catch(() => {}))).toBe(NOT_YET);
  expect(await redis.command("GET", "a")).toBe(null);
  client.close();
});

it("answers with random bytes", async () => {
  proxy.behave({ replies: "garbage" });
  const socket = connect(proxy);
  socket.write("PING\r\n");
  const [reply] = await once(socket, "data");
  expect(String(reply)).not.toBe("+PONG\r\n");
  socket.destroy();
});

it("answers late, or a byte at a time", async () => {
  const client = await connectResp(proxy);
  for (const faults of [{ delayMs: 60 }, { replies: "drip" as const }]) {
    proxy.behave(faults);
    const startMs = performance.now();
    expect(await client.send("ECHO", ["0123456789"])).toEqual(Buffer.from("0123456789"));
    expect(performance.now() - startMs).toBeGreaterThan(45);
  }
  client.close();
});

it("delays each of many replies by the same", async () => {
  const client = await connectResp(proxy);
  proxy.behave({ delayMs: 200 });
  const replies: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (let call = 0; call < 20; call += 1) {
    replies.push(client.send("PING", []));
    await sleep(5);
  }
  await Promise.all(replies);
  // one after the other they would take 4 s
  expect(performance.now() - startMs).toBeLessThan(2_000);
  client.close();
});

it("refuses new connections", async () => {
  proxy.behave({ refuse: true });
  const refused = connectResp(proxy).then((client) => client.send("PING", []));
  await expect(refused).rejects.toThrow();
});
