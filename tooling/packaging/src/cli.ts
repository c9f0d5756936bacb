// `npm run packaging`: packs every public package and says what is wrong with it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./check.ts";
import { packInto } from "./pack.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-packaging-"));
try {
  for (const tarball of await packInto(folder)) {
    const problems = await check(tarball);
    console.log(`${tarball.name} ${tarball.version}: ${problems.length === 0 ? "good" : "not good"}`);
    for (const problem of problems) console.log(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
