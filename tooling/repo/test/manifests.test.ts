import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publicPackages } from "@sluice/packaging/public-packages";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";

interface Manifest {
  name: string;
  description?: string;
  files?: string[];
  license?: string;
  sideEffects?: boolean;
  type?: string;
  version: string;
  engines?: Record<string, string>;
  publishConfig?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
}

const workspaceFolders = ["packages", "tooling"]
  .flatMap((parent) => readdirSync(join(ROOT, parent)).map((name) => join(parent, name)))
  .filter((folder) => existsSync(join(ROOT, folder, "package.json")));

describe("every manifest", () => {
  it.each([".", "examples", ...workspaceFolders])("%s takes its versions from the catalog", (folder) => {
    const { dependencies, devDependencies } = readManifest(folder);
    const versions = Object.entries({ ...dependencies, ...devDependencies });
    const own = versions.filter(([, version]) => !/^(catalog|workspace):/.test(version));
    expect(own).toEqual([]);
  });
});

describe("every public package", () => {
  it.each(publicPackages())("$name says what it must", ({ folder }) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(manifest).toMatchObject({
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines: readManifest(".").engines,
      publishConfig: { access: "public" },
    });
    expect(manifest.description).toMatch(/^[A-Z].*\.$/);
    expect(manifest.files).toEqual(expect.arrayContaining(["dist", "src", "README.md", "LICENSE"]));
  });

  it.each(publicPackages())("$name has a README under its own name", ({ name, folder }) => {
    expect(existsSync(join(folder, "README.md"))).toBe(true);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toMatch(new RegExp(`^# ${name}\n`));
  });
});
