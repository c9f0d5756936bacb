import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../../../scripts/root.js";
import type { CodeBlock } from "./code-blocks.ts";

/** Where the blocks seem to stand: what they import is looked up from here, in this package's dependencies. */
const FOLDER = join(ROOT, "tooling/docs");
const CONFIG = join(ROOT, "tooling/config/tsconfig.node.json");
/** An example may well end before it has used everything. */
const FOR_EXAMPLES = { noUnusedLocals: false, noUnusedParameters: false };

/** The errors of every block, by its name. All blocks are one program, so the packages are read once. */
export function typeCheck(blocks: readonly CodeBlock[]): Map<string, string[]> {
  const texts = new Map(blocks.map(({ name, code }) => [pathOf(name), code]));
  const { options, fileNames } = readConfig();
  const host = hostWith(texts, options);
  const program = ts.createProgram([...fileNames, ...texts.keys()], options, host);
  return new Map(blocks.map(({ name }) => [name, errorsIn(program, name)]));
}

function pathOf(name: string): string {
  return join(FOLDER, `${name.replaceAll(/[/:]/g, "_")}.ts`);
}

function readConfig(): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, "tooling/config"), FOR_EXAMPLES, CONFIG);
}

/** A compiler host for which the texts are files as well. */
function hostWith(texts: Map<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getCurrentDirectory: () => FOLDER,
    fileExists: (path) => texts.has(path) || host.fileExists(path),
    readFile: (path) => texts.get(path) ?? host.readFile(path),
    getSourceFile: (path, languageVersion, ...rest) => {
      const text = texts.get(path);
      if (text === undefined) return host.getSourceFile(path, languageVersion, ...rest);
      return ts.createSourceFile(path, text, languageVersion);
    },
  };
}

function errorsIn(program: ts.Program, name: string): string[] {
  const file = program.getSourceFile(pathOf(name));
  if (file === undefined) return [`${name} was not read`];
  const [path = "", firstLine = "1"] = name.split(":");
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return diagnostics.map(({ start = 0, messageText }) => {
    const line = Number(firstLine) + file.getLineAndCharacterOfPosition(start).line;
    return `${path}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
