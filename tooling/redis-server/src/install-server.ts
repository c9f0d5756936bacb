import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { findOnPath } from "./on-path.ts";

/** Debian asks this program whether a package may start its service. */
const SERVICE_POLICY = "/usr/sbin/policy-rc.d";
const PACKAGES = ["redis-server", "valkey-server"];

/** What a person types to get a server, by the means that this machine offers. */
export function howToInstall(
  has: (program: string) => boolean = (name) => findOnPath([name]) !== undefined,
): string {
  if (has("apt-get")) return "sudo apt-get update && sudo apt-get install -y redis-server";
  if (has("brew")) return "brew install redis";
  if (has("dnf")) return "sudo dnf install -y valkey || sudo dnf install -y redis";
  if (has("apk")) return "sudo apk add redis";
  if (has("pacman")) return "sudo pacman -S valkey";
  return "REDIS_SERVER=/path/to/redis-server npm test";
}

/**
 * Installs a Redis server by `apt-get`, without a question and without starting it.
 *
 * @throws {Error} where this user cannot do that; the message says what to type instead.
 */
export function installServer(): void {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || findOnPath(["apt-get"]) === undefined) {
    throw new Error(
      `These tests need a Redis server, and none is on the PATH. Install one:\n\n    ${howToInstall()}\n\n` +
        "or name one: REDIS_SERVER=/path/to/redis-server (or valkey-server).",
    );
  }
  console.error("No Redis server found: installing one by apt-get.");
  withoutServices(() => {
    aptGet("update");
    const attempts = PACKAGES.map((name) => () => aptGet("install", "--no-install-recommends", name));
    firstThatWorks(attempts);
  });
  keepFromBoot();
}

/** Runs the attempts in order until one succeeds; the first one's error is the one worth reading. */
function firstThatWorks(attempts: readonly (() => void)[]): void {
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    try {
      attempt();
      return;
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

function aptGet(...args: string[]): void {
  const options = ["-y", "-qq", "-o", "DPkg::Lock::Timeout=120"];
  const { status, stdout, stderr, error } = spawnSync("apt-get", [...options, ...args], {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", NEEDRESTART_MODE: "l" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) {
    throw new Error(`apt-get ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Forbids packages to start their services while `action` runs, and restores what was there before. */
function withoutServices(action: () => void): void {
  const saved = `${SERVICE_POLICY}.before-sluice`;
  const hadPolicy = existsSync(SERVICE_POLICY);
  if (hadPolicy) renameSync(SERVICE_POLICY, saved);
  try {
    writeFileSync(SERVICE_POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
    action();
  } finally {
    rmSync(SERVICE_POLICY, { force: true });
    if (hadPolicy) renameSync(saved, SERVICE_POLICY);
  }
}

/** The package enables its service for the next boot, which nobody asked for. */
function keepFromBoot(): void {
  if (findOnPath(["systemctl"]) === undefined) return;
  for (const name of PACKAGES) spawnSync("systemctl", ["disable", "--quiet", name], { stdio: "ignore" });
}
