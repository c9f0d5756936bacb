/** Aligned columns under their heads: texts to the left, numbers to the right. */
export function textTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => shown(row[column]).length)),
  );
  const line = (cells: readonly (string | number)[], like: readonly (string | number)[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof like[column] === "number" ? shown(cell).padStart(width) : shown(cell).padEnd(width);
      })
      .join("  ")
      .trimEnd();
  const [first = []] = rows;
  return [heads, ...rows].map((cells) => line(cells, first)).join("\n");
}

/** The same as Markdown. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const [first = []] = rows;
  const rule = heads.map((_, column) => (typeof first[column] === "number" ? "---:" : "---"));
  return [heads, rule, ...rows].map((cells) => `| ${cells.map(shown).join(" | ")} |`).join("\n");
}

function shown(cell: string | number | undefined): string {
  return typeof cell === "number" ? cell.toLocaleString("en-US") : (cell ?? "");
}
