import { expect, it } from "vitest";
import { type Soaked, soak } from "../src/soak.ts";
import { plainWindow } from "./subject.ts";

it("goes on until its time is over, and tells after each round how far it has come", async () => {
  const untilMs = Date.now() + 1_500;
  const reports: Soaked[] = [];
  const soaked = await soak(plainWindow(), { untilMs, report: (sofar) => reports.push(sofar) });
  expect(Date.now()).toBeGreaterThanOrEqual(untilMs);
  expect(soaked.steps).toBeGreaterThan(100);
  expect(soaked.operations).toBeGreaterThan(100);
  expect(reports.at(-1)).toEqual(soaked);
});

it("stops at the first difference, and names the seed that shows it", async () => {
  const faulty = plainWindow({ consume: "taken = cost\nlife = 1" });
  await expect(soak(faulty, { untilMs: Number.POSITIVE_INFINITY })).rejects.toThrow(/seed: \d+/);
}, 60_000);
