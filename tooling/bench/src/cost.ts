import { median } from "./median.ts";

/** What a decision costs. In ratios the same names stand for how many times as much as something else. */
export interface Cost {
  decisionsPerSecond: number;
  clientCpuMicroseconds: number;
  redisCpuMicroseconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** The medians over the rounds. */
export function medianCost(samples: readonly Cost[]): Cost {
  return costOf((figure) => median(samples.map(figure)));
}

/** The medians of each round's ratio to what something else cost in the same round. */
export function medianRatios(samples: readonly Cost[], others: readonly Cost[]): Cost {
  return costOf((figure) => median(samples.map((one, round) => figure(one) / figure(others[round] ?? one))));
}

function costOf(reckon: (figure: (cost: Cost) => number) => number): Cost {
  return {
    decisionsPerSecond: reckon((cost) => cost.decisionsPerSecond),
    clientCpuMicroseconds: reckon((cost) => cost.clientCpuMicroseconds),
    redisCpuMicroseconds: reckon((cost) => cost.redisCpuMicroseconds),
    p50Ms: reckon((cost) => cost.p50Ms),
    p99Ms: reckon((cost) => cost.p99Ms),
  };
}
