import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";

/**
 * Waits until its standard input ends, which is when the process that holds the other end is gone, in
 * whatever way: then it ends the server and removes its folder. Unlike handlers of `exit` and signals it
 * also works when that process is killed by SIGKILL, and it leaves everyone's signals alone. A line tells it
 * that the server has ended, whose process id may be given to another process from then on.
 */
const WATCHDOG = `
  trap "" INT TERM HUP
  folder=$1 server=$2
  while read -r _; do server=; done
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null
  rm -rf "$folder"`;

/** A server that runs in a folder of its own, and never outlives the process that started it. */
export interface ServerProcess {
  /** Another one after each `restart`. */
  readonly pid: number;
  /** Whether it has ended, by itself or by `stop`. */
  ended(): boolean;
  /** What it has printed so far. */
  log(): string;
  /** Ends it by SIGKILL, as a crash would; its folder stays. */
  kill(): Promise<void>;
  /** Runs the same command in the same folder again, where it has ended. */
  restart(): Promise<void>;
  /** Ends it and removes its folder; by SIGKILL when it takes longer than `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** One run of a server. */
interface Run {
  readonly pid: number;
  ended(): boolean;
  end(graceMs: number): Promise<void>;
  /** Nobody looks after the folder from now on. */
  release(): void;
}

/**
 * Starts `command` in `folder`, which belongs to it from now on. Neither it nor its watchdog keeps this
 * process alive.
 */
export async function startServerProcess(command: readonly string[], folder: string): Promise<ServerProcess> {
  const logPath = join(folder, "server.log");
  let run = await startRun(command, folder, logPath);
  return {
    get pid() {
      return run.pid;
    },
    ended: () => run.ended(),
    kill: () => run.end(0),
    log: () => readFileSync(logPath, "utf8"),
    async restart() {
      const former = run;
      run = await startRun(command, folder, logPath);
      former.release();
    },
    async stop(graceMs) {
      await run.end(graceMs);
      rmSync(folder, { recursive: true, force: true });
      run.release();
    },
  };
}

async function startRun(command: readonly string[], folder: string, logPath: string): Promise<Run> {
  const [program = "", ...args] = command;
  const logFile = openSync(logPath, "a");
  const server = spawn(program, args, { cwd: folder, stdio: ["ignore", logFile, logFile] });
  closeSync(logFile);
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  await started(server, folder);
  const pid = server.pid ?? 0;
  const watchdog = startWatchdog(pid, folder);
  server.unref();
  server.once("exit", () => watchdog.stdin?.write("ended\n"));
  const ended = (): boolean => server.exitCode !== null || server.signalCode !== null;
  return {
    pid,
    ended,
    async end(graceMs) {
      // Somebody waits for this, so it counts as work again.
      server.ref();
      server.kill(graceMs > 0 ? "SIGTERM" : "SIGKILL");
      const timer = setTimeout(() => server.kill("SIGKILL"), graceMs);
      if (!ended()) await exited;
      clearTimeout(timer);
    },
    release: () => void watchdog.kill("SIGKILL"),
  };
}

/** Resolves once the program runs; a program that cannot be run removes the folder and rejects. */
async function started(server: ChildProcess, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("spawn", resolve);
    server.once("error", (error) => {
      rmSync(folder, { recursive: true, force: true });
      reject(error);
    });
  });
}

function startWatchdog(pid: number, folder: string): ChildProcess {
  const args = ["-c", WATCHDOG, "watchdog", folder, String(pid)];
  // Detached: Ctrl-C in a terminal reaches every process of the group.
  const watchdog = spawn("/bin/sh", args, { stdio: ["pipe", "ignore", "ignore"], detached: true });
  watchdog.unref();
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref();
  // Somebody may have ended it, which is no reason to end this process as well.
  watchdog.stdin?.on("error", () => undefined);
  return watchdog;
}
