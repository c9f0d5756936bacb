/** Columns that line up: the first to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const aligned = (cells: readonly string[]): string => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return padded.join("  ").trimEnd();
  };
  return lines.map(aligned).join("\n");
}

/** 12345 as 12,345. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function fixed(value: number, digits: number): string {
  return value.toFixed(digits);
}

/** How many times as much: × 0.25. */
export function times(ratio: number): string {
  return `× ${fixed(ratio, 2)}`;
}
