import { fixedWindow } from "@sluice/fixed-window";
import { RedisReplyError } from "@sluice/redis-server";
import { expect, it } from "vitest";
import { atOnce, granted, inTurn } from "../src/granted.ts";
import { luaText, openWorkbench } from "../src/workbench.ts";

const { redis, send, store } = await openWorkbench();

async function cachedScripts(): Promise<number> {
  return Number(/number_of_cached_scripts:(\d+)/.exec(String(await redis.command("INFO", "memory")))?.[1]);
}

it("a digest that was loaded once is unknown after a restart or a failover; ours is sent again", async () => {
  const limiter = fixedWindow({ name: "calls", limit: 100, window: "1m", store: store() });
  const digest = String(await send("SCRIPT", "LOAD", luaText("incr-expire")));
  await limiter.consume("user");
  // what a restart and a failover leave behind
  await redis.command("SCRIPT", "FLUSH");

  const theirs = await atOnce(10, () =>
    send("EVALSHA", digest, "1", "count", "100", "60000").catch((error: unknown) => error),
  );
  expect(
    theirs.filter((reply) => reply instanceof RedisReplyError && /NOSCRIPT/.test(reply.message)),
  ).toHaveLength(10);

  expect(granted(await atOnce(10, () => limiter.consume("user")))).toBe(10);
});

it("numbers written into the text make a script each; ours is one, whatever the limits", async () => {
  await redis.command("SCRIPT", "FLUSH");
  await inTurn(100, (index) =>
    send(
      "EVAL",
      luaText("incr-expire").replace("tonumber(ARGV[1])", String(index + 1)),
      "1",
      "count",
      "",
      "60000",
    ),
  );
  expect(await cachedScripts()).toBe(100);

  await redis.command("SCRIPT", "FLUSH");
  const shared = store();
  await inTurn(100, (index) =>
    fixedWindow({ name: "calls", limit: index + 1, window: "1m", store: shared }).consume("user"),
  );
  expect(await cachedScripts()).toBe(1);
});
