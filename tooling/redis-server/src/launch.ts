import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findServer } from "./find-server.ts";
import { freePort, LOOPBACK } from "./free-port.ts";
import { type RedisServer, redisServer, socketPathIn } from "./redis-server.ts";
import { RedisReplyError, type ServerAddress, sendCommand } from "./resp.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const PORT_ATTEMPTS = 5;
const POLL_EVERY_MS = 15;

/** What every kind of server is started by. */
export interface LaunchOptions {
  /** Further arguments, where those depend on the port a function; they win over our own. */
  args: readonly string[] | ((port: number) => readonly string[]);
  /** The only port that will do; by default any that is free. */
  port?: number | undefined;
  /** Finds a port where not any free one will do. */
  findPort?: () => Promise<number>;
  password?: string | undefined;
  /** A command that becomes the server by `exec`. */
  wrapper?: readonly string[] | undefined;
  /** The texts of files in the server's folder, by their names. */
  files?: Readonly<Record<string, string>>;
  /** The one of `files` that is its configuration. */
  configFile?: string;
  /** How long it may take to answer, in milliseconds. */
  startTimeoutMs?: number | undefined;
  /** How long it may take to end by itself, in milliseconds: by default not at all, as there is nothing to save. */
  graceMs?: number;
}

/** Starts a server in a folder of its own and waits until it answers. */
export async function launch(options: LaunchOptions): Promise<RedisServer> {
  const { password, startTimeoutMs = 15_000, graceMs = 0, findPort = freePort } = options;
  const serverPath = await findServer();
  const attempts = options.port === undefined ? PORT_ATTEMPTS : 1;
  let lastLog = "";
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = options.port ?? (await findPort());
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-redis-")));
    for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(folder, name), text);
    const server = await startServerProcess(serverCommand(serverPath, port, folder, options), folder);
    const isUp = () => answers(server, { host: LOOPBACK, port, password }, startTimeoutMs);
    const restart = async (): Promise<void> => {
      await server.restart();
      if (!(await isUp())) throw new Error(`${serverPath} did not start again:\n${server.log()}`);
    };
    if (await isUp()) return redisServer({ serverPath, server, port, folder, password, graceMs, restart });
    lastLog = server.log();
    await server.stop(0);
    // Only a port that somebody else was quicker to take is worth another try.
    if (!/address already in use/i.test(lastLog)) break;
  }
  throw new Error(`${serverPath} did not start:\n${lastLog}`);
}

function serverCommand(serverPath: string, port: number, folder: string, options: LaunchOptions): string[] {
  const { password, wrapper = [], configFile, args } = options;
  return [
    ...wrapper,
    serverPath,
    ...(configFile === undefined ? [] : [configFile]),
    ...["--bind", LOOPBACK, "--port", String(port), "--unixsocket", socketPathIn(folder)],
    ...["--dir", folder, "--save", "", "--appendonly", "no"],
    // Without a file it would wait five seconds for further replicas, and then one for a replica to confirm.
    ...["--repl-diskless-sync", "no"],
    // It may be a replica, now or later, of a server that wants the same.
    ...(password === undefined ? [] : ["--requirepass", password, "--masterauth", password]),
    ...(typeof args === "function" ? args(port) : args),
  ];
}

/** Waits until the server answers. False when it ends instead, or when another one has its port. */
async function answers(server: ServerProcess, address: ServerAddress, timeoutMs: number): Promise<boolean> {
  const giveUpAtMs = performance.now() + timeoutMs;
  while (!server.ended() && performance.now() < giveUpAtMs) {
    if (await listensAt(server.pid, address)) return true;
    await sleep(POLL_EVERY_MS);
  }
  return false;
}

/** Whether it is the process `pid` that answers, and not one that took the port before. */
async function listensAt(pid: number, address: ServerAddress): Promise<boolean> {
  try {
    const info = await sendCommand(address, ["INFO"]);
    if (typeof info !== "string") return false;
    // it answers this one before it has read its data
    return info.includes(`\r\nprocess_id:${pid}\r\n`) && !info.includes("\r\nloading:1\r\n");
  } catch (error) {
    // It answers, though it wants a password that only its arguments tell.
    return error instanceof RedisReplyError && !error.message.startsWith("LOADING");
  }
}
