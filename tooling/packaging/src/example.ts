import ts from "typescript";

const TS_BLOCK = /^```ts[^\n]*\n(.*?)^```/ms;

/** The first TypeScript block of a Markdown text. */
export function firstExample(markdown: string): string {
  const code = TS_BLOCK.exec(markdown)?.[1];
  if (code === undefined) throw new Error("the README has no ```ts block");
  return code;
}

/** The same code for a module that cannot await at its top level: the imports first, the rest in a function. */
export function withoutTopLevelAwait(code: string): string {
  const { statements } = ts.createSourceFile("example.ts", code, ts.ScriptTarget.ES2022, false);
  const textOf = (imports: boolean): string =>
    statements
      .filter((statement) => ts.isImportDeclaration(statement) === imports)
      .map((statement) => code.slice(statement.pos, statement.end))
      .join("");
  return `${textOf(true)}\nasync function main() {${textOf(false)}\n}\nvoid main();\n`;
}

/** TypeScript as the JavaScript that Node runs: types are dropped, and `import` becomes `require` for CommonJS. */
export function toJavaScript(code: string, format: "esm" | "cjs"): string {
  const module = format === "esm" ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS;
  const compilerOptions = { module, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
