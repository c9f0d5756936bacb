/** A bar of a chart. */
export interface Bar {
  label: string;
  value: number;
  /** What is written at its end. */
  text: string;
  kind: "ours" | "peer" | "floor";
}

/** Bars under one title. */
export interface Panel {
  title: string;
  /** Where the bars begin: at 0, or at 1 on a scale on which each step is a factor. */
  from: "zero" | "one";
  bars: Bar[];
}
