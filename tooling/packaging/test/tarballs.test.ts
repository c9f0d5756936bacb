import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";
import { firstExample, toJavaScript, withoutTopLevelAwait } from "../src/example.ts";
import { installInto } from "../src/install.ts";
import { packInto } from "../src/pack.ts";
import { output } from "../src/process.ts";
import { publicPackages } from "../src/public-packages.ts";

const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");
/** Where an error is that is not ours. */
const FOREIGN = /^node_modules\/(?!@sluice\/)/;
const WITH_NODE_TYPES = { typeRoots: [join(ROOT, "node_modules/@types")], types: ["node"] };
/** Optional peers, which somebody who writes TypeScript has. */
const TYPES_OF_PEERS = { "@types/express": "^5.0.0", "@types/koa": "^3.0.0" };
/** What has one name in several entries of a package on purpose: `rateLimit` of fetch handlers, and of Node's listeners. */
const NAMESAKES: Readonly<Record<string, readonly string[]>> = { "@sluice/http": ["rateLimit"] };
const packages = publicPackages();
const entries = packages.flatMap((one) => one.entries);

/** Outside of the repository, so that nothing of it can be found from there. */
const folder = mkdtempSync(join(tmpdir(), "sluice-fresh-"));

beforeAll(async () => {
  const packed = join(folder, "packed");
  mkdirSync(packed);
  await installInto(folder, await packInto(packed), TYPES_OF_PEERS);
}, 180_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function run(name: string, code: string): Promise<string> {
  writeFileSync(join(folder, name), code);
  return output(process.execPath, [name], folder);
}

/**
 * Type-checks files by the strictest rules, the published types of ours included, and returns the errors.
 * Those of a client's own types are left out.
 */
async function typeCheck(
  name: string,
  files: Record<string, string>,
  options: Record<string, unknown>,
): Promise<string[]> {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  for (const [file, code] of Object.entries(files)) writeFileSync(join(project, file), code);
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const compilerOptions = { ...strict, target: "ES2022", noEmit: true, skipLibCheck: false, ...options };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const args = [TSC, "-p", project, "--pretty", "false"];
  const printed = await output(process.execPath, args, folder).catch((error) => String(error));
  return printed.split("\n").filter((line) => / error TS/.test(line) && !FOREIGN.test(line));
}

describe("the first example of the README, from the packed tarballs", () => {
  const example = firstExample(readFileSync(join(ROOT, "README.md"), "utf8"));

  it("runs as an ES module", async () => {
    await run("example.mjs", toJavaScript(example, "esm"));
  });

  it("runs as CommonJS, and does the same", async () => {
    const printed = await run("example.cjs", toJavaScript(withoutTopLevelAwait(example), "cjs"));
    expect(printed).toBe(await run("example.mjs", toJavaScript(example, "esm")));
  });

  it("type-checks under nodenext, as an ES module and as CommonJS", async () => {
    const files = { "esm.mts": example, "cjs.cts": withoutTopLevelAwait(example) };
    expect(await typeCheck("nodenext", files, { module: "nodenext", skipLibCheck: true })).toEqual([]);
  });

  it("type-checks under bundler", async () => {
    const options = { module: "esnext", moduleResolution: "bundler", skipLibCheck: true };
    expect(await typeCheck("bundler", { "example.ts": example }, options)).toEqual([]);
  });
});

describe("every entry", () => {
  it.each(entries)("%s exports the same names to ES modules and CommonJS", async (entry) => {
    const script = `
      import { createRequire } from "node:module";
      const names = (module) => Object.keys(module).filter((name) => !/^(default|module\\.exports|__esModule)$/.test(name)).sort();
      const esm = names(await import("${entry}"));
      const cjs = names(createRequire(import.meta.url)("${entry}"));
      console.log(JSON.stringify({ esm, cjs }));`;
    const { esm, cjs } = JSON.parse(await run("names.mjs", script));
    expect(esm).not.toEqual([]);
    expect(cjs).toEqual(esm);
  });

  it.each(packages)("$name has one of everything, whichever entry it is imported from", async (one) => {
    const script = (load: string): string => `
      const seen = new Map();
      const twice = [];
      for (const entry of ${JSON.stringify(one.entries)}) {
        for (const [name, value] of Object.entries(${load})) {
          if (name === "default" || name === "module.exports") continue;
          if (seen.has(name) && seen.get(name) !== value) twice.push(name);
          seen.set(name, value);
        }
      }
      console.log(JSON.stringify(twice));`;
    const namesakes = NAMESAKES[one.name] ?? [];
    expect(JSON.parse(await run("one.mjs", script("await import(entry)")))).toEqual(namesakes);
    expect(JSON.parse(await run("one.cjs", script("require(entry)")))).toEqual(namesakes);
  });

  it.each([
    { name: "alone", having: "no types but its own", options: {} },
    { name: "adapters", having: "the types of Node, as its peer does", options: WITH_NODE_TYPES },
  ])("of what is $name has sound types, with $having", async ({ name, options }) => {
    const needsNode = ({ peers }: { peers: readonly string[] }, entry: string): boolean =>
      peers.length > 0 || entry.endsWith("/node");
    const names = packages.flatMap((one) =>
      one.entries.filter((entry) => needsNode(one, entry) === (name === "adapters")),
    );
    const lines = names.map((entry, index) => `export * as entry${index} from "${entry}";\n`);
    const files = { "esm.mts": lines.join(""), "cjs.cts": lines.join("") };
    expect(await typeCheck(name, files, { module: "nodenext", ...options })).toEqual([]);
  });
});
