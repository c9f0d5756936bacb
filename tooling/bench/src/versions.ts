import { readFileSync } from "node:fs";
import { arch, cpus, platform } from "node:os";
import { startRedis } from "@sluice/redis-server";
import { valgrindVersion } from "./callgrind.ts";

/** What the figures were measured with. */
export interface Versions {
  machine: string;
  node: string;
  server: string;
  valgrind: string | null;
  packages: Record<string, string>;
}

const PACKAGES = [
  "@sluice/core",
  "@sluice/token-bucket",
  "@sluice/fixed-window",
  "@sluice/sliding-window",
  "@sluice/leaky-bucket",
  "@sluice/ioredis",
  "@sluice/node-redis",
  "ioredis",
  "redis",
  "rate-limiter-flexible",
  "rate-limit-redis",
  "@upstash/ratelimit",
];

export async function readVersions(): Promise<Versions> {
  const processors = cpus();
  return {
    machine: `${processors[0]?.model.trim() ?? "unknown"}, ${processors.length} cores, ${platform()} ${arch()}`,
    node: process.version.slice(1),
    server: await serverVersion(),
    valgrind: valgrindVersion() ?? null,
    packages: Object.fromEntries(PACKAGES.map((name) => [name, packageVersion(name)])),
  };
}

async function serverVersion(): Promise<string> {
  await using redis = await startRedis();
  const info = String(await redis.command("INFO", "server"));
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  return valkey === undefined ? `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1]}` : `Valkey ${valkey}`;
}

function packageVersion(name: string): string {
  // not by resolving it: a package need not export its manifest
  const path = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("version" in manifest)) return "unknown";
  return String(manifest.version);
}
