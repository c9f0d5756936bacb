import { afterEach, describe, expect, it, vi } from "vitest";
import { findServer } from "../src/find-server.ts";
import { howToInstall } from "../src/install-server.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("findServer", () => {
  it("takes the one that REDIS_SERVER names", async () => {
    vi.stubEnv("REDIS_SERVER", process.execPath);
    expect(await findServer()).toBe(process.execPath);
  });

  it("refuses a REDIS_SERVER that is no program", async () => {
    vi.stubEnv("REDIS_SERVER", "/nowhere/redis-server");
    await expect(findServer()).rejects.toThrow(/REDIS_SERVER is "\/nowhere\/redis-server"/);
  });

  it("finds one on the PATH", async () => {
    vi.stubEnv("REDIS_SERVER", "");
    expect(await findServer()).toMatch(/(redis|valkey)-server$/);
  });
});

describe("howToInstall", () => {
  it.each([
    ["apt-get", "sudo apt-get update && sudo apt-get install -y redis-server"],
    ["brew", "brew install redis"],
    ["dnf", "sudo dnf install -y valkey || sudo dnf install -y redis"],
    ["apk", "sudo apk add redis"],
    ["pacman", "sudo pacman -S valkey"],
    ["nothing", "REDIS_SERVER=/path/to/redis-server npm test"],
  ])("where there is %s", (program, command) => {
    expect(howToInstall((name) => name === program)).toBe(command);
  });
});
