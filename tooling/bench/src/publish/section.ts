/** Puts `text` between the two marks of a Markdown file that are called `name`. */
export function replaceSection(markdown: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [markdown.indexOf(start), markdown.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`there is no section ${start} … ${end}`);
  return `${markdown.slice(0, from + start.length)}\n${text}\n${markdown.slice(to)}`;
}

/** A table of Markdown: the first column to the left, the others to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
