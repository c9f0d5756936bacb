import { type GroupMark, type Mark, parse, type Scale, type Spec, View } from "vega";
import type { Bar, Panel } from "./panel.ts";

// All numbers are pixels.
const WIDTH = 500;
const LABELS = 280;
const BAR = 20;
const GAP = 56;
const COLOURS = ["#0969da", "#8c959f", "#d0d7de"];
const KINDS: readonly Bar["kind"][] = ["ours", "peer", "floor"];
const TEXT = "#1f2328";

/** Draws panels of bars, one below the other, as SVG. */
export async function drawChart(panels: readonly Panel[], footnote: string): Promise<string> {
  const view = new View(parse(specOf(panels, footnote)), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

function specOf(panels: readonly Panel[], footnote: string): Spec {
  let y = 24;
  const marks: Mark[] = [];
  for (const [index, panel] of panels.entries()) {
    marks.push(panelMark(panel, index, y));
    y += panel.bars.length * BAR + GAP;
  }
  return {
    $schema: "https://vega.github.io/schema/vega/v6.json",
    description: panels.map(({ title }) => title).join("; "),
    width: WIDTH,
    height: y - GAP / 2,
    // the size of a text is only guessed where nothing is drawn on a screen
    autosize: "none",
    padding: { left: LABELS, right: 16, top: 12, bottom: 12 },
    background: "#ffffff",
    config: {
      text: { font: "system-ui, sans-serif", fontSize: 12 },
      axis: { labelFont: "system-ui, sans-serif" },
    },
    data: panels.map(({ bars }, index) => ({ name: `bars${index}`, values: bars })),
    scales: [{ name: "colour", type: "ordinal", domain: [...KINDS], range: COLOURS }],
    marks: [
      ...marks,
      {
        type: "text",
        encode: {
          enter: {
            x: { value: WIDTH },
            y: { value: y - GAP / 2 },
            align: { value: "right" },
            fontSize: { value: 10 },
            fill: { value: "#57606a" },
            text: { value: footnote },
          },
        },
      },
    ],
  };
}

function panelMark({ title, from, bars }: Panel, index: number, y: number): GroupMark {
  const height = bars.length * BAR;
  const data = `bars${index}`;
  return {
    type: "group",
    encode: { enter: { y: { value: y }, width: { value: WIDTH }, height: { value: height } } },
    title: { text: title, anchor: "start", frame: "group", fontSize: 13, color: TEXT, offset: 8 },
    scales: [
      valueScale(data, from),
      { name: "bar", type: "band", domain: { data, field: "label" }, range: [0, height], padding: 0.25 },
    ],
    axes: [
      {
        orient: "left",
        scale: "bar",
        domain: false,
        ticks: false,
        labelLimit: 0,
        labelPadding: 8,
        labelFontSize: 12,
        labelColor: TEXT,
      },
    ],
    marks: [
      ...(from === "one" ? [asMuch(height)] : []),
      {
        type: "rect",
        from: { data },
        encode: {
          enter: {
            x: { scale: "value", field: "value" },
            x2: { scale: "value", value: from === "zero" ? 0 : 1 },
            y: { scale: "bar", field: "label" },
            height: { scale: "bar", band: 1 },
            fill: { scale: "colour", field: "kind" },
          },
        },
      },
      {
        type: "text",
        from: { data },
        encode: {
          enter: {
            // beside the longer end, also where a bar goes to the left
            x: { scale: "value", signal: from === "zero" ? "datum.value" : "max(1, datum.value)", offset: 5 },
            y: { scale: "bar", field: "label", band: 0.5 },
            baseline: { value: "middle" },
            fill: { value: TEXT },
            text: { field: "text" },
          },
        },
      },
    ],
  };
}

/** Where neither side is ahead. */
function asMuch(height: number): Mark {
  return {
    type: "rule",
    encode: {
      enter: {
        x: { scale: "value", value: 1 },
        y: { value: -4 },
        y2: { value: height + 4 },
        stroke: { value: TEXT },
      },
    },
  };
}

/** Its end leaves room for what is written there. */
function valueScale(data: string, from: Panel["from"]): Scale {
  const common = { name: "value", domain: { data, field: "value" }, range: [0, WIDTH - 150] };
  if (from === "zero") return { ...common, type: "linear", zero: true };
  return { ...common, type: "log", base: 2, domain: { fields: [{ data, field: "value" }, [1, 2]] } };
}
