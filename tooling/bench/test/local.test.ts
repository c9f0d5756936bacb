import { expect, it } from "vitest";
import { localCases } from "../src/local/cases.ts";
import { CROWD_CASES } from "../src/local/crowd-cases.ts";
import { measureCrowds } from "../src/local/crowds.ts";
import { measureLocal } from "../src/local/measure.ts";

it("measures every case in a process of its own, beside the peer of its group", async () => {
  const results = await measureLocal({ rounds: 2, share: 0.001 });
  expect(results.map((one) => [one.group, one.case])).toEqual(
    localCases().map(({ group, name }) => [group, name]),
  );
  for (const one of results) expect(one.decisionsPerSecond).toBeGreaterThan(0);
  const peers = localCases().filter(({ isPeer }) => isPeer);
  expect(results.filter((one) => one.ofPeer === 1).map((one) => one.case)).toEqual(
    peers.map(({ name }) => name),
  );
});

it("weighs crowds of keys, and watches them lapse", async () => {
  const results = await measureCrowds({ keys: 1_000, windowMs: 3_000 });
  expect(results.map((one) => one.case)).toEqual(CROWD_CASES.map(({ name }) => name));
  for (const { steady, lapsing } of results) {
    expect(steady.p99Ms).toBeGreaterThan(0);
    expect(lapsing.p99Ms).toBeGreaterThan(0);
  }
}, 60_000);
