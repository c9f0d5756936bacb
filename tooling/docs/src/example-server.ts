import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../../../scripts/root.js";

/** An example that serves, until it is told to end. */
export interface ExampleServer {
  readonly url: string;
  /** What it printed to try. */
  readonly commands: readonly string[];
  /** Tells it to end, and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts an example on a free port. */
export async function startExample(name: string, redisUrl: string): Promise<ExampleServer> {
  const child = spawn(process.execPath, ["--import", "tsx", join(ROOT, `examples/${name}.ts`)], {
    cwd: ROOT,
    env: { ...process.env, REDIS_URL: redisUrl, PORT: "0", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(line));
  while (lines.filter((line) => line.includes("curl")).length < 3) {
    await Promise.race([once(reader, "line"), closed.then(() => Promise.reject(new Error(`${name} ended`)))]);
  }
  const [url = ""] = lines.join().match(/http:\S+\//) ?? [];
  return {
    url,
    commands: lines.filter((line) => line.includes("curl")).map((line) => line.trim()),
    async stop() {
      child.kill("SIGINT");
      const [code] = await closed;
      return code;
    },
  };
}
