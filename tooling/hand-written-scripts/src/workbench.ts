import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Clock, redisStore, type Store } from "@sluice/core";
import { connectResp, type RawReply, type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeEach } from "vitest";

/** What is shown here is what is decided, not how soon. */
const PATIENCE_MS = 10_000;

/** A server for one test file, on which a script written by hand and a limiter of ours are tried side by side. */
export interface Workbench {
  redis: RedisServer;
  /** Sends a command to the server. */
  send(command: string, ...args: string[]): Promise<RawReply>;
  /** Runs `lua/<name>.lua` on a key. */
  run(name: string, key: string, ...args: (string | number)[]): Promise<RawReply>;
  /** The store of ours, by the server's clock or by the application's, as the script beside it. */
  store(clock?: Clock): Store;
}

/** Starts a server. Each test finds it empty, and it ends with the file. */
export async function openWorkbench(): Promise<Workbench> {
  const redis = await startRedis();
  const connection = await connectResp(redis);
  beforeEach(async () => {
    await redis.command("FLUSHALL");
  });
  afterAll(async () => {
    connection.close();
    await redis.stop();
  });
  return {
    redis,
    send: (command, ...args) => connection.send(command, args),
    run: (name, key, ...args) => connection.send("EVAL", [luaText(name), "1", key, ...args.map(String)]),
    store: (clock) => redisStore(connection, { clock, timeoutMs: PATIENCE_MS }),
  };
}

export function luaPath(name: string): string {
  return fileURLToPath(new URL(`../lua/${name}.lua`, import.meta.url));
}

export function luaText(name: string): string {
  return readFileSync(luaPath(name), "utf8");
}
