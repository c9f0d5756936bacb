import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { findOnPath, isExecutable } from "./on-path.ts";

const CLI_NAMES = ["redis-cli", "valkey-cli"];

/** The command line client beside `serverPath`, or on the `PATH`. */
function findCli(serverPath: string): string {
  const beside = CLI_NAMES.map((name) => join(dirname(serverPath), name)).find(isExecutable);
  const path = beside ?? findOnPath(CLI_NAMES);
  if (path === undefined) throw new Error(`no redis-cli beside ${serverPath} or on the PATH`);
  return path;
}

/**
 * Runs `redis-cli` with `args` and returns what it prints.
 *
 * @param input what it reads on its standard input, by default nothing
 * @throws {Error} when it fails, with what it said
 */
export async function runCli(serverPath: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const cli = spawn(findCli(serverPath), args, { stdio: ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    cli.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    cli.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    cli.on("error", reject);
    cli.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`redis-cli ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`));
    });
    // It may end before it has read everything, which is its own business.
    cli.stdin.on("error", () => undefined);
    cli.stdin.end(input);
  });
}
