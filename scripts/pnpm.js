import { spawnSync } from "node:child_process";
import { packageManager } from "./root.js";

/**
 * The command line that runs pnpm with `args`: the one on the `PATH` when it has the right version, otherwise
 * the right one by `npx`, so that nobody has to install it.
 *
 * @param {readonly string[]} args
 * @returns {[program: string, args: string[]]}
 */
export function pnpm(args) {
  if (`pnpm@${versionOnPath()}` === packageManager()) return ["pnpm", [...args]];
  return ["npx", ["--yes", "--prefer-offline", packageManager(), ...args]];
}

function versionOnPath() {
  // Without the setting pnpm would fetch the version that package.json names, and report that one.
  const env = { ...process.env, npm_config_pm_on_fail: "ignore" };
  return spawnSync("pnpm", ["--version"], { encoding: "utf8", env }).stdout?.trim();
}
