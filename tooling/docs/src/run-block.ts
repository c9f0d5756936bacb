import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../../../scripts/root.js";
import type { CodeBlock } from "./code-blocks.ts";

/** In a folder that nobody commits, from which this package's dependencies are found. */
const FOLDER = join(ROOT, "tooling/docs/node_modules/.blocks");
const COMPILER_OPTIONS = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  // as NestJS has them
  experimentalDecorators: true,
};
const TIMEOUT_MS = 20_000;

/**
 * Runs a block as a module of its own, in a process of its own, against the built packages.
 *
 * @param redisUrl what the block finds in `REDIS_URL`
 * @throws {Error} when it fails, or has not come to its end by itself after `timeoutMs`
 */
export async function runBlock(
  { name, code }: CodeBlock,
  redisUrl: string,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  // two runs of the tests at once must not share files
  const path = join(FOLDER, `${process.pid}-${name.replaceAll(/[/:]/g, "_")}.mjs`);
  writeFileSync(path, ts.transpileModule(code, { compilerOptions: COMPILER_OPTIONS }).outputText);
  try {
    await runFile(path, name, redisUrl, timeoutMs);
  } finally {
    rmSync(path);
  }
}

async function runFile(path: string, name: string, redisUrl: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path], {
      cwd: FOLDER,
      env: { ...process.env, REDIS_URL: redisUrl },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        printed += chunk;
      });
    }
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve();
      const how = timedOut ? `did not end within ${timeoutMs} ms` : `ended with ${code}`;
      reject(new Error(`${name} ${how}:\n${printed}`));
    });
  });
}
