import { spawn } from "node:child_process";
import { constants } from "node:os";
import { ROOT } from "./root.js";

/** What every program started here sees: turbo reports nothing about its use to anyone. */
function environment() {
  return { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
}

/**
 * Runs a program in the root folder, with this process's output, and resolves with its exit code.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env: environment(), stdio: "inherit" });
    // a terminal tells all that run in it to end; whoever sends a signal to this process means the program
    const end = () => child.kill("SIGTERM");
    process.on("SIGTERM", end);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      process.off("SIGTERM", end);
      resolve(exitCode(code, signal));
    });
  });
}

/**
 * The same for a program that may hang: after `timeoutMs` it is killed with all that it started, since a test
 * that loops for ever outlives the program that runs it. So is it when this process is told to end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {number} timeoutMs
 * @returns {Promise<number>}
 */
export function runWithin(program, args, timeoutMs) {
  return new Promise((resolve, reject) => {
    // Detached: it leads a process group, which can be killed as one.
    const child = spawn(program, args, { cwd: ROOT, env: environment(), stdio: "inherit", detached: true });
    const killAll = () => process.kill(-(child.pid ?? 0), "SIGKILL");
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => {
      killAll();
      // others that run at the same time have to be killed first
      setImmediate(() => process.exit(exitCode(null, signal)));
    };
    const timer = setTimeout(() => {
      console.error(`${program} ${args.join(" ")} did not end within ${timeoutMs} ms`);
      killAll();
    }, timeoutMs);
    process.on("SIGINT", end).on("SIGTERM", end);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      process.off("SIGINT", end).off("SIGTERM", end);
      resolve(exitCode(code, signal));
    });
  });
}

/**
 * Runs a program in the root folder and shows what it printed only if it fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<void>} rejects when it fails
 */
export function runQuietly(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    /** @type {Buffer[]} */
    const output = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      reject(new Error(`${program} ${args.join(" ")} ended with ${signal ?? code}`));
    });
  });
}

/**
 * As a shell reports it: 128 and the signal's number for a program that a signal ended.
 *
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
