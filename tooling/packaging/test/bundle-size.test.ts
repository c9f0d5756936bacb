import { beforeAll, describe, expect, it } from "vitest";
import { build } from "../src/build.ts";
import { BUNDLES, bundleSize, sizeProblem } from "../src/bundle-size.ts";

beforeAll(build, 180_000);

describe("the size of a bundle", () => {
  it("is that of what is taken, and not of all there is", async () => {
    const packageName = "@sluice/sliding-window";
    const one = await bundleSize({ packageName, exported: "slidingWindowCounter" });
    const both = await bundleSize({ packageName, exported: "slidingWindowCounter, slidingWindowLog" });
    expect(one).toBeGreaterThan(1_000);
    expect(both).toBeGreaterThan(one + 500);
  });

  it("is bounded for every algorithm package", () => {
    expect(new Set(BUNDLES.map(({ packageName }) => packageName))).toEqual(
      new Set(
        ["fixed-window", "leaky-bucket", "sliding-window", "token-bucket"].map((name) => `@sluice/${name}`),
      ),
    );
  });

  it("is a problem beyond its bound, and so is a bound far beyond the size", () => {
    expect(sizeProblem({ atMost: 1_000 }, 1_001)).toBe("1 bytes more than it may have");
    expect(sizeProblem({ atMost: 1_000 }, 1_000)).toBeUndefined();
    expect(sizeProblem({ atMost: 1_000 }, 949)).toBe("51 bytes less than it may have: lower the bound");
  });
});
