import { compose } from "@sluice/core";
import { memoryStore, tokenBucket, WaitTimeoutError } from "@sluice/token-bucket";
import { expect, it } from "vitest";
import { limitedFetch } from "../src/index.js";
import { refusingOnce } from "./other-side.js";

function limits() {
  const common = { capacity: 10, refill: { tokens: 10, every: "1h" }, store: memoryStore() } as const;
  const perHost = tokenBucket({ name: "host", ...common, blockFor: "by-hand" });
  const overall = tokenBucket({ name: "overall", ...common });
  return { perHost, overall, both: compose([perHost, overall]) };
}

it("several limits wait together, and the hold is of those that can be blocked", async () => {
  const { perHost, overall, both } = limits();
  const { url, host } = await refusingOnce({ "retry-after": "100" });
  const polite = limitedFetch(both, {
    key: (address) => ({ host: address.host, overall: "all" }),
    cost: { host: 1, overall: 2 },
    maxWaitMs: 5_000,
  });
  expect((await polite(url)).status).toBe(429);
  expect(await perHost.peek(host)).toMatchObject({ reason: "blocked" });
  expect(await overall.peek("all")).toMatchObject({ allowed: true, remaining: 8 });
  await expect(polite(url)).rejects.toThrow(WaitTimeoutError);
  expect((await polite((await refusingOnce({}, 200)).url)).status).toBe(200);
});

it("one key may be for all of them", async () => {
  const { perHost, both } = limits();
  const { url } = await refusingOnce({ "retry-after": "100" });
  await limitedFetch(both, { key: "a" })(url);
  expect(await perHost.peek("a")).toMatchObject({ reason: "blocked" });
});

it("a name too many or too few does not compile", () => {
  const { both } = limits();
  // @ts-expect-error without overall
  expect(() => limitedFetch(both, { key: () => ({ host: "a" }) })).not.toThrow();
});
