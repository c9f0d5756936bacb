import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { Tarball } from "./pack.ts";
import { output, ProgramError } from "./process.ts";

const ATTW = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules", ".bin", "attw");

/** Files without which a package is not worth publishing. */
const NEEDED = ["package/LICENSE", "package/README.md"];
/** What belongs to this repository only. */
const UNWANTED = /^package\/(test\/|tsconfig|tsup\.config|node_modules\/)|\.test\.ts$/;

/** What is wrong with a tarball, in words; an empty list when nothing is. */
export async function check(tarball: Tarball): Promise<string[]> {
  const lists = await Promise.all([lintManifest(tarball), resolveTypes(tarball), checkFiles(tarball)]);
  return lists.flat();
}

/** Whether the manifest says the truth about the files, by publint. */
async function lintManifest({ path }: Tarball): Promise<string[]> {
  const buffer = await readFile(path);
  const tarball = new Uint8Array(buffer).buffer;
  const { messages, pkg = {} } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`);
}

/**
 * Whether TypeScript finds the types that belong to what Node loads, by attw. Leaves out the resolution that
 * knows no `exports`, which no supported version of Node needs.
 */
async function resolveTypes({ path }: Tarball): Promise<string[]> {
  try {
    await output(ATTW, ["--profile", "node16", "--no-color", "--no-emoji", path], dirname(path));
    return [];
  } catch (error) {
    if (error instanceof ProgramError) return [`attw: ${error.message}`];
    throw error;
  }
}

async function checkFiles({ path }: Tarball): Promise<string[]> {
  const files = (await output("tar", ["-tzf", path], dirname(path))).trim().split("\n");
  const missing = NEEDED.filter((file) => !files.includes(file)).map((file) => `lacks ${file}`);
  const unwanted = files.filter((file) => UNWANTED.test(file)).map((file) => `should not contain ${file}`);
  return [...missing, ...unwanted];
}
