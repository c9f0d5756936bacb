import { fileURLToPath } from "node:url";
import { startRedis } from "@sluice/redis-server";
import { runAlone } from "@sluice/run-alone";
import { describe, expect, it } from "vitest";
import { FLOWING, PROCESSES, SIZE, STANDING, type Usage } from "../src/demand.ts";

const PROGRAM = fileURLToPath(new URL("program.ts", import.meta.url));
/** What four processes can hold together; portions that follow the demand are a tenth of what is left at the most. */
const MOST_HELD = { fixed: PROCESSES * (SIZE - 1), adaptive: (PROCESSES * FLOWING.limit) / 10 };

const usages = await useTogether();

/** What four processes are granted that call at once. One ends a second earlier than the others. */
async function useTogether(): Promise<Usage[]> {
  await using redis = await startRedis();
  const durations = Array.from({ length: PROCESSES }, (_, i) => (i === 0 ? "1500" : "2500"));
  const ended = await Promise.all(durations.map((durationMs) => runAlone(PROGRAM, redis.url, durationMs)));
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    Array(PROCESSES).fill({ code: 0, stderr: "" }),
  );
  const told: Usage[][] = ended.map(({ stdout }) => JSON.parse(stdout));
  return told.flat();
}

function ofAll(algorithm: Usage["algorithm"], portions: Usage["portions"]): Usage[] {
  const those = usages.filter((usage) => usage.algorithm === algorithm && usage.portions === portions);
  expect(those).toHaveLength(PROCESSES);
  return those;
}

describe.each(["fixed", "adaptive"] as const)("four processes with portions that are %s", (portions) => {
  it.each(["fixed window", "sliding counter"] as const)(
    "are never granted more than a %s counts in a window",
    (algorithm) => {
      const windows = new Map<number, number>();
      for (const atMs of ofAll(algorithm, portions).flatMap(({ flowing }) => flowing)) {
        const window = Math.floor(atMs / FLOWING.windowMs);
        windows.set(window, (windows.get(window) ?? 0) + 1);
      }
      expect(windows.size).toBeGreaterThan(3);
      expect(Math.max(...windows.values())).toBeLessThanOrEqual(FLOWING.limit);
    },
  );

  it.each(["token bucket", "meter"] as const)(
    "are never granted more than comes back to a %s, what it has room for, and what they hold",
    (algorithm) => {
      const grants = ofAll(algorithm, portions).flatMap(({ flowing }) => flowing);
      const cameBack = ((Math.max(...grants) - Math.min(...grants)) * FLOWING.limit) / FLOWING.windowMs;
      expect(grants.length).toBeGreaterThan(FLOWING.limit);
      expect(grants.length).toBeLessThanOrEqual(FLOWING.limit + cameBack + MOST_HELD[portions]);
    },
  );

  it.each(["fixed window", "sliding counter", "token bucket", "meter"] as const)(
    "use all that a %s has, and not one unit more",
    (algorithm) => {
      const granted = ofAll(algorithm, portions).reduce((sum, { standing }) => sum + standing, 0);
      expect(granted).toBeLessThanOrEqual(STANDING.limit);
      expect(granted).toBeGreaterThanOrEqual(0.95 * STANDING.limit);
    },
  );
});
