import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";

/** What git would commit; nothing where this is not a clone. */
function trackedFiles(): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) return [];
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(ROOT, file)));
}

const files = trackedFiles();
/** Folders of one machine: this one's, and homes as they are usually called. */
const OWN_PATHS = [`${ROOT}/`, `${homedir()}/`];
const HOME = /(?<![\w.])\/(home|Users)\/\w+\//;

describe.skipIf(files.length === 0)("files that git would commit", () => {
  it("name no path of one machine", () => {
    const found = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return HOME.test(text) || OWN_PATHS.some((path) => text.includes(path));
    });
    expect(found).toEqual([]);
  });

  it("name no registry in the lockfile", () => {
    expect(readFileSync(join(ROOT, "pnpm-lock.yaml"), "utf8")).not.toMatch(/https?:\/\//);
  });
});
