import { expect, it } from "vitest";
import { decideTraffic, mostWithin } from "../src/decide.ts";
import { TRAFFIC_MS } from "../src/traffic.ts";

it("counts what lies in a half-open window", () => {
  expect(mostWithin(10, [])).toBe(0);
  expect(mostWithin(10, [0, 10])).toBe(1);
  expect(mostWithin(10, [0, 0, 9, 10, 19, 20])).toBe(3);
});

it("decides every call for every limiter, and alike for meter and bucket", async () => {
  const rows = await decideTraffic();
  expect(rows.map(({ doneMs, deniedMs }) => doneMs.length + deniedMs.length)).toEqual(
    rows.map(() => TRAFFIC_MS.length),
  );
  const [bucket, meter] = ["tokenBucket", "leakyBucketMeter"].map((name) =>
    rows.find(({ factory }) => factory === name),
  );
  expect(meter?.doneMs).toEqual(bucket?.doneMs);
});

it("shows what the picture is there to show: how much passes around the end of a window", async () => {
  const rows = await decideTraffic();
  const most = Object.fromEntries(rows.map(({ factory, most }) => [factory, most]));
  expect(most).toMatchObject({ fixedWindow: 10, slidingWindowLog: 5, leakyBucket: 5 });
});
