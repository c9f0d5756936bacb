import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sendCommand } from "../src/resp.ts";

const PARENT = fileURLToPath(new URL("parent.ts", import.meta.url));

export interface Started {
  port: number;
  folder: string;
}

/** Starts a process that starts `topology`, tells us of its servers, and then does as `mode` says. */
export async function startParent(
  mode: string,
  topology = "standalone",
): Promise<{ parent: ChildProcess; servers: Started[] }> {
  const parent = spawn(process.execPath, ["--import", "tsx", PARENT, mode, topology], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const line = await new Promise<string>((resolve) => {
    parent.stdout.once("data", (chunk) => resolve(String(chunk)));
  });
  return { parent, servers: JSON.parse(line) };
}

/** By its port and not its process id: where nobody waits for orphans, their ids stay for ever. */
export async function answers({ port }: { port: number }): Promise<boolean> {
  return sendCommand({ host: "127.0.0.1", port }, ["PING"]).then(
    () => true,
    () => false,
  );
}

/** Whether nothing is left of any of `servers`, soon. */
export async function gone(servers: readonly Started[]): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 20) {
    const left = await Promise.all(
      servers.map(async (server) => existsSync(server.folder) || answers(server)),
    );
    if (!left.includes(true)) return true;
    await sleep(20);
  }
  return false;
}
