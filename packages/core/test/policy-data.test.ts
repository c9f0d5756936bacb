import { expect, it } from "vitest";
import { policyData } from "../src/policy-data.js";

it("tells a policy as data, of which no part can be changed", () => {
  const policy = policyData("bucket", {
    limit: 5,
    windowMs: 1_000,
    data: { capacity: 5, refill: { tokens: 5, everyMs: 1_000 } },
    params: [5, 1, 200],
  });
  expect(policy).toEqual({
    algorithm: "bucket",
    limit: 5,
    windowMs: 1_000,
    capacity: 5,
    refill: { tokens: 5, everyMs: 1_000 },
  });
  expect(Object.isFrozen(policy)).toBe(true);
  expect(Object.isFrozen(policy.refill)).toBe(true);
});
