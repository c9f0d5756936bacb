import { spawn } from "node:child_process";
import { bundle } from "./bundle.ts";

/** How a program that ran in a process of its own ended. */
export interface Ended {
  /** Undefined where it had to be killed, since it did not end by itself. */
  readonly code: number | undefined;
  readonly tookMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

const TIMEOUT_MS = 30_000;

/** Runs a TypeScript file over the sources, with `args`, in a process of its own that has to end by itself. */
export async function runAlone(path: string, ...args: readonly string[]): Promise<Ended> {
  const { program, remove } = await bundle(path);
  try {
    return await run([program, ...args]);
  } finally {
    await remove();
  }
}

async function run(args: readonly string[]): Promise<Ended> {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS });
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (chunk) => {
      printed[stream] += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ ...printed, code: code ?? undefined, tookMs: performance.now() - startMs });
    });
  });
}
