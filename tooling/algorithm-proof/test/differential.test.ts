import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareKernels, comparePlainArguments } from "../src/differential.ts";
import { algorithm } from "./plain-window.ts";
import { plainWindow } from "./subject.ts";

const { level, consume, adjust } = algorithm.lua;
let redis: RedisServer;
let connection: RespClient;

beforeAll(async () => {
  redis = await startRedis();
  connection = await connectResp(redis);
});
afterAll(async () => {
  connection?.close();
  await redis?.stop();
});

describe("the comparison of both kernels", () => {
  it.each([
    ["a step back that is taken for none", { level: level.replace("dated - now > window", "false") }],
    ["a reserve that is forgotten", { consume: consume.replace("- reserve", "") }],
    ["a refund from a window that is over", { adjust: adjust.replace("grantedDated < 0 or", "true or") }],
    [
      "a debt that grows too large to count",
      { adjust: adjust.replace("9007199254740991", "9107199254740991") },
    ],
  ])(
    "finds %s, and shows the trace",
    async (_fault, lua) => {
      const message = await compareKernels(plainWindow(lua), connection, 400).catch(String);
      expect(message).toMatch(/Got error: .*\n {2}policy 0: \[/);
      expect(message).toMatch(/\n {2}policy \d (decides|adjusts) \{/);
      expect(message).toMatch(/seed: \d+/);
    },
    60_000,
  );

  it("finds a script that reads its plain arguments in another order", async () => {
    const lua = { level: `if plain then limit, window = window, limit end\n${level}` };
    await expect(comparePlainArguments(plainWindow(lua), connection, 50)).rejects.toThrow("the two differ");
  }, 60_000);

  it("takes the same steps each time, and counts them", async () => {
    const steps = await compareKernels(plainWindow(), connection, 20);
    expect(steps).toBeGreaterThan(20);
    expect(await compareKernels(plainWindow(), connection, 20)).toBe(steps);
  });
});
