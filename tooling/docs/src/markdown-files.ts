import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/root.js";

/** The Markdown files that readers are meant to follow, as paths from the root. */
export function markdownFiles(): string[] {
  const readmes = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/README.md`);
  const files = ["README.md", "CONTRIBUTING.md", ...readmes, ...markdownUnder("docs")];
  return files.filter((file) => existsSync(join(ROOT, file)));
}

function markdownUnder(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return paths.filter((path) => path.endsWith(".md")).map((path) => `${folder}/${path}`);
}
