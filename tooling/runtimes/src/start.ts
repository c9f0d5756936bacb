import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundle } from "@sluice/run-alone";

/** A runtime that serves. */
export interface Running extends AsyncDisposable {
  /** Where its fetch handler is and, where it has one, its listener of `node:http`. */
  readonly urls: readonly string[];
}

const HERE = import.meta.dirname;
const BIN = join(HERE, "../node_modules/.bin");

export function startBun(): Promise<Running> {
  return start("bun.ts", (program) => ["bun", program]);
}

export function startDeno(): Promise<Running> {
  return start("deno.ts", (program) => ["deno", "run", "--quiet", "--allow-net", "--allow-env", program]);
}

/** The runtime of Workers. It tells of the port that it was given on the descriptor that is asked for. */
export function startWorkers(): Promise<Running> {
  return start("workers.ts", async (program) => {
    const config = `${program}.capnp`;
    await writeFile(config, CONFIG);
    return ["workerd", "serve", "--control-fd=1", config];
  });
}

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "worker", esModule = embed "program.js")], compatibilityDate = "2026-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Starts a program of this folder, and resolves when its first line says where it serves. */
async function start(
  file: string,
  commandOf: (program: string) => string[] | Promise<string[]>,
): Promise<Running> {
  const { program, remove } = await bundle(join(HERE, file), { whole: file === "workers.ts" });
  const [name = "", ...args] = await commandOf(program);
  // it may be a program that starts another: the group ends as one, and no later than this process
  const child = spawn(join(BIN, name), args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
  const closed = once(child, "close");
  const kill = (): unknown => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  process.once("exit", kill);
  const stop = async (): Promise<void> => {
    process.off("exit", kill);
    if (child.exitCode === null) kill();
    await closed;
    await remove();
  };
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), closed]);
  try {
    return { urls: urlsIn(String(line)), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw new Error(`${name} was expected to say where it serves, and said ${line}`, { cause: error });
  }
}

/** The addresses, or what the runtime of Workers says: its port. */
function urlsIn(line: string): string[] {
  const said: string[] | { port: number } = JSON.parse(line);
  return Array.isArray(said) ? said : [`http://127.0.0.1:${said.port}/`];
}
