import { expect, it } from "vitest";
import { HTTP_CASES } from "../src/http/cases.ts";
import { measureHttp } from "../src/http/measure.ts";

it("asks a server of every case, beside one without a limiter and the peer on the same client", async () => {
  const results = await measureHttp({ rounds: 1, connections: 5, requests: 50 });
  expect(results.map((one) => [one.client, one.case])).toEqual(
    HTTP_CASES.map(({ name, by = null }) => [by, name]),
  );
  for (const one of results) {
    expect(one.decisionsPerSecond).toBeGreaterThan(0);
    expect(one.clientCpuMicroseconds).toBeGreaterThan(0);
  }
  expect(results.filter((one) => one.ofNone.decisionsPerSecond === 1).map((one) => one.case)).toContain(
    "no limiter",
  );
  const peers = results.filter((one) => one.case === "rate-limiter-flexible");
  expect(peers.map((one) => one.ofPeer.decisionsPerSecond)).toEqual([1, 1]);
}, 60_000);
