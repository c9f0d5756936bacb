// `npm run packaging`: packs every public package and says what is wrong with it, and how large its bundles are.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUNDLES, bundleSize, sizeProblem } from "./bundle-size.ts";
import { check } from "./check.ts";
import { packInto } from "./pack.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-packaging-"));
try {
  for (const tarball of await packInto(folder)) {
    tell(`${tarball.name} ${tarball.version}`, await check(tarball));
  }
  for (const bundle of BUNDLES) {
    const bytes = await bundleSize(bundle);
    const problem = sizeProblem(bundle, bytes);
    tell(
      `${bundle.exported} bundled, minified and gzipped, ${bytes} bytes`,
      problem === undefined ? [] : [problem],
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tell(subject: string, problems: readonly string[]): void {
  console.log(`${subject}: ${problems.length === 0 ? "good" : "not good"}`);
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
