import { join } from "node:path";
import { LOOPBACK } from "./free-port.ts";
import { runCli } from "./redis-cli.ts";
import { type Reply, type ServerAddress, sendCommand } from "./resp.ts";
import type { ServerProcess } from "./server-process.ts";

/** A running server that is nobody else's. Nothing of it is left after `stop`, or when this process ends. */
export interface RedisServer extends ServerAddress, AsyncDisposable {
  /** `redis://127.0.0.1:<port>`, with the password where there is one. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** What it asks of clients, if anything. */
  readonly password: string | undefined;
  readonly socketPath: string;
  /** Another one after each `restart`. */
  readonly pid: number;
  /** Its working folder, for files that should vanish with it. */
  readonly folder: string;
  /** Sends one command, with the password, and returns the reply. */
  command(...args: string[]): Promise<Reply>;
  /** Runs `redis-cli` against it, with `input` on its standard input, and returns what it prints. */
  cli(args: readonly string[], input?: string): Promise<string>;
  /** What the server has printed so far. */
  log(): string;
  /** Whether it has ended, by itself or by `kill` or `stop`. */
  ended(): boolean;
  /** Ends it by SIGKILL, as a crash would: nobody is told. Its folder stays until `stop`. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port, with what its folder has of its data, and waits until it answers. */
  restart(): Promise<void>;
  /** Ends the server and removes its folder. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** A process that answers, and where. */
export interface Running {
  serverPath: string;
  server: ServerProcess;
  port: number;
  folder: string;
  password: string | undefined;
  /** How long it may take to end by itself, in milliseconds. */
  graceMs: number;
  restart(): Promise<void>;
}

export function socketPathIn(folder: string): string {
  return join(folder, "redis.sock");
}

/** What callers get of a running process. */
export function redisServer(running: Running): RedisServer {
  const { serverPath, server, port, folder, password, graceMs, restart } = running;
  const address = { host: LOOPBACK, port, password };
  const user = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  const cliArgs = ["-h", LOOPBACK, "-p", String(port)];
  if (password !== undefined) cliArgs.push("-a", password, "--no-auth-warning");
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= server.stop(graceMs);
    return stopped;
  };
  return {
    ...address,
    url: `redis://${user}${LOOPBACK}:${port}`,
    socketPath: socketPathIn(folder),
    get pid() {
      return server.pid;
    },
    folder,
    command: (...args) => sendCommand(address, args),
    cli: (args, input) => runCli(serverPath, [...cliArgs, ...args], input),
    log: () => server.log(),
    ended: () => server.ended(),
    kill: () => server.kill(),
    restart,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
