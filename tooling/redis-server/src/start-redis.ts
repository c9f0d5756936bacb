import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findServer } from "./find-server.ts";
import { freePort, LOOPBACK } from "./free-port.ts";
import { runCli } from "./redis-cli.ts";
import { RedisReplyError, type Reply, sendCommand } from "./resp.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const PORT_ATTEMPTS = 5;
const POLL_EVERY_MS = 15;

export interface StartRedisOptions {
  /** Further arguments of the server, such as `["--maxmemory", "50mb"]`; they win over our own. */
  args?: readonly string[];
  /** A loopback port; by default a free one. */
  port?: number;
  /** A command that runs the server, such as `["valgrind", "--tool=callgrind"]`. It must become it by `exec`. */
  wrapper?: readonly string[];
  /** How long it may take to answer, in milliseconds: 15 s, and 60 s under a wrapper. */
  startTimeoutMs?: number;
}

/** A running server that is nobody else's. Nothing of it is left after `stop`, or when this process ends. */
export interface RedisServer extends AsyncDisposable {
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  readonly pid: number;
  /** Its working folder, for files that should vanish with it. */
  readonly folder: string;
  /** Sends one command and returns the reply. */
  command(...args: string[]): Promise<Reply>;
  /** Runs `redis-cli` against it, with `input` on its standard input, and returns what it prints. */
  cli(args: readonly string[], input?: string): Promise<string>;
  /** What the server has printed so far. */
  log(): string;
  /** Ends the server and removes its folder. Calling it again does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts a throw-away Redis (or Valkey) server on a free loopback port, without persistence.
 *
 * @example
 * const redis = await startRedis();
 * console.log(redis.url, await redis.command("PING"));
 * await redis.stop();
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  const serverPath = await findServer();
  const attempts = options.port === undefined ? PORT_ATTEMPTS : 1;
  let lastLog = "";
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = options.port ?? (await freePort());
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-redis-")));
    const command = serverCommand(serverPath, port, folder, options);
    const server = await startServerProcess(command, folder);
    if (await answers(server, port, folder, startTimeoutMs(options))) {
      return redisServer({ serverPath, server, port, folder, graceMs: graceMs(options) });
    }
    lastLog = server.log();
    await server.stop(0);
    // Only a port that somebody else was quicker to take is worth another try.
    if (!/address already in use/i.test(lastLog)) break;
  }
  throw new Error(`${serverPath} did not start:\n${lastLog}`);
}

function startTimeoutMs({ startTimeoutMs, wrapper }: StartRedisOptions): number {
  return startTimeoutMs ?? (wrapper === undefined ? 15_000 : 60_000);
}

/** There is nothing to save, but a wrapper may have results to write. */
function graceMs({ wrapper }: StartRedisOptions): number {
  return wrapper === undefined ? 1_000 : 60_000;
}

function socketPathIn(folder: string): string {
  return join(folder, "redis.sock");
}

function serverCommand(
  serverPath: string,
  port: number,
  folder: string,
  options: StartRedisOptions,
): string[] {
  const place = ["--bind", LOOPBACK, "--port", String(port), "--unixsocket", socketPathIn(folder)];
  const noPersistence = ["--dir", folder, "--save", "", "--appendonly", "no"];
  return [...(options.wrapper ?? []), serverPath, ...place, ...noPersistence, ...(options.args ?? [])];
}

/** Waits until the server answers. False when it ends instead, or when another one has its port. */
async function answers(
  server: ServerProcess,
  port: number,
  folder: string,
  timeoutMs: number,
): Promise<boolean> {
  const giveUpAtMs = performance.now() + timeoutMs;
  while (!server.ended() && performance.now() < giveUpAtMs) {
    if (await isServerIn(folder, port)) return true;
    await sleep(POLL_EVERY_MS);
  }
  return false;
}

/** Whether the server at `port` is the one that runs in `folder`, and not one that took the port before. */
async function isServerIn(folder: string, port: number): Promise<boolean> {
  try {
    const reply = await sendCommand({ host: LOOPBACK, port }, ["CONFIG", "GET", "dir"]);
    return Array.isArray(reply) && reply[1] === folder;
  } catch (error) {
    // It answers, though it wants a password first; while it loads, it says so by an error as well.
    return error instanceof RedisReplyError && !error.message.startsWith("LOADING");
  }
}

interface Running {
  serverPath: string;
  server: ServerProcess;
  port: number;
  folder: string;
  graceMs: number;
}

function redisServer({ serverPath, server, port, folder, graceMs }: Running): RedisServer {
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= server.stop(graceMs);
    return stopped;
  };
  return {
    url: `redis://${LOOPBACK}:${port}`,
    host: LOOPBACK,
    port,
    socketPath: socketPathIn(folder),
    pid: server.pid,
    folder,
    command: (...args) => sendCommand({ host: LOOPBACK, port }, args),
    cli: (args, input) => runCli(serverPath, ["-h", LOOPBACK, "-p", String(port), ...args], input),
    log: () => server.log(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
