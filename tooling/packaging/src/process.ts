import { spawn } from "node:child_process";

/** A program that ended badly, with what it printed. */
export class ProgramError extends Error {
  override name = "ProgramError";
}

/**
 * Runs a program and resolves with what it printed on its standard output.
 *
 * @throws {ProgramError} when it fails
 */
export async function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new ProgramError(`${program} ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`));
    });
  });
}
