import { WINDOW_MS } from "./limiters.ts";
import { SPAN_MS, STEP_MS } from "./traffic.ts";

// Squares and lines need no library of charts. All numbers are pixels.
const MARGIN = 20;
const COLUMN = 12;
const SQUARE = 10;
const STORY = 12;
const HEADING = 34;
const GAP = 16;
const AXIS = 24;
const WIDTH = 2 * MARGIN + (SPAN_MS / STEP_MS) * COLUMN;

/** A background of its own, so that it can be read whatever page it stands on. */
const STYLE = `
    .page { fill: #ffffff; stroke: #d0d7de }
    .grid { stroke: #d8dee4 }
    .base { stroke: #8c959f }
    .call { fill: #8c959f }
    .done { fill: #0969da }
    .denied { fill: none; stroke: #bc4c00; stroke-width: 1.2 }
    text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #57606a }
    text { stroke: #ffffff; stroke-width: 4; stroke-linejoin: round; paint-order: stroke }
    .name { font-weight: 600; fill: #1f2328 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d }
      .grid { stroke: #262c36 }
      .base { stroke: #6e7681 }
      .call { fill: #8b949e }
      .done { fill: #58a6ff }
      .denied { stroke: #f0883e }
      text { fill: #9198a1; stroke: #0d1117 }
      .name { fill: #f0f6fc }
    }
  `;

/** A square of a column: what it stands for, and when. */
export interface Mark {
  /** A class of the style. */
  kind: string;
  atMs: number;
}

/** A row of the picture: its text, and its columns of squares. */
export interface Band {
  name: string;
  about: string;
  result: string;
  marks: Mark[];
}

/** What a picture shows, in rows from top to bottom. */
export interface Page {
  title: string;
  description: string;
  bands: Band[];
  /** Of marks that are not in every picture. */
  style?: string;
}

/** Draws a picture with time from left to right. */
export function drawPage({ title, description, bands, style = "" }: Page): string {
  const parts: string[] = [];
  let y = MARGIN;
  for (const band of bands) {
    y += HEADING;
    const height = highest(band.marks) * STORY;
    parts.push(...drawBand(band, y, y + height));
    y += height + GAP;
  }
  const height = y + AXIS;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">`,
    `  <title id="title">${title}</title>`,
    `  <desc id="desc">${description}</desc>`,
    `  <style>${STYLE}${style}</style>`,
    `  <rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    ...grid(MARGIN + HEADING - STORY, y - GAP + 6),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function drawBand({ name, about, result, marks }: Band, top: number, base: number): string[] {
  const heights = new Map<number, number>();
  const squares = marks.map(({ kind, atMs }) => {
    const column = Math.floor(atMs / STEP_MS);
    const story = (heights.get(column) ?? 0) + 1;
    heights.set(column, story);
    return square(kind, xOf(column * STEP_MS), base - story * STORY + 1);
  });
  const textY = top - 16;
  return [
    `  <text x="${MARGIN}" y="${textY}"><tspan class="name">${name}</tspan><tspan dx="10">${about}</tspan></text>`,
    `  <text x="${WIDTH - MARGIN}" y="${textY}" text-anchor="end">${result}</text>`,
    ...squares,
    `  <line class="base" x1="${MARGIN}" y1="${base}" x2="${WIDTH - MARGIN}" y2="${base}"/>`,
  ];
}

function square(kind: Mark["kind"], x: number, y: number): string {
  // the outline of an empty one lies inside
  const inset = kind === "denied" ? 0.6 : 0;
  const side = SQUARE - 2 * inset;
  return `  <rect class="${kind}" x="${x + inset}" y="${y + inset}" width="${side}" height="${side}" rx="1.5"/>`;
}

function grid(top: number, bottom: number): string[] {
  const lines: string[] = [];
  for (let ms = 0; ms <= SPAN_MS; ms += WINDOW_MS) {
    const x = xOf(ms) - (COLUMN - SQUARE) / 2;
    lines.push(`  <line class="grid" x1="${x}" y1="${top}" x2="${x}" y2="${bottom}"/>`);
    lines.push(`  <text x="${x}" y="${bottom + 18}" text-anchor="middle">${ms / 1000} s</text>`);
  }
  return lines;
}

function xOf(ms: number): number {
  return MARGIN + (ms / STEP_MS) * COLUMN + (COLUMN - SQUARE) / 2;
}

function highest(marks: readonly Mark[]): number {
  const counts = new Map<number, number>();
  for (const { atMs } of marks) {
    const column = Math.floor(atMs / STEP_MS);
    counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  return Math.max(1, ...counts.values());
}
