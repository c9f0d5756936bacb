/** A TypeScript block of a Markdown file. */
export interface CodeBlock {
  /** `README.md:12`, with the line on which the code begins. */
  name: string;
  code: string;
  /** Why it cannot be run, from `no-run="…"` after the language; it is type-checked all the same. */
  noRun?: string;
}

const BLOCK = /^(?<fence>`{3,})ts(?<info>[ \t][^\n`]*)?\n(?<code>.*?)^\k<fence>[ \t]*$/gms;
const NO_RUN = /(?:^|\s)no-run(?:="(?<reason>[^"]*)")?(?=\s|$)/;

/**
 * Every block of a Markdown text that is marked `ts`.
 *
 * @param file how the text is called in the names of the blocks
 * @throws {Error} where a block is kept from running without saying why
 */
export function codeBlocks(file: string, markdown: string): CodeBlock[] {
  return [...markdown.matchAll(BLOCK)].map((match) => {
    const { info = "", code = "" } = match.groups ?? {};
    const name = `${file}:${lineAfter(markdown, match.index)}`;
    const marker = NO_RUN.exec(info);
    if (marker === null) return { name, code };
    const reason = marker.groups?.reason ?? "";
    if (reason === "") throw new Error(`${name}: say why it cannot run, as in no-run="needs a cluster"`);
    return { name, code, noRun: reason };
  });
}

function lineAfter(text: string, index: number): number {
  return text.slice(0, index).split("\n").length + 1;
}
