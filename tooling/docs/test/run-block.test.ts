import { describe, expect, it } from "vitest";
import { runBlock } from "../src/run-block.ts";

const URL = "redis://127.0.0.1:1";

describe("runBlock", () => {
  it("runs a block that ends, with REDIS_URL", async () => {
    const code = `const url: string | undefined = process.env.REDIS_URL;\nif (url !== "${URL}") throw new Error(url);`;
    await runBlock({ name: "A.md:1", code }, URL);
  });

  it("fails for one that throws, with what it printed", async () => {
    const block = { name: "A.md:2", code: 'console.log("before");\nthrow new Error("on purpose");' };
    await expect(runBlock(block, URL)).rejects.toThrow(/A\.md:2 ended with 1:\nbefore\n[\s\S]*on purpose/);
  });

  it("fails for one that waits for what never comes", async () => {
    await expect(runBlock({ name: "A.md:3", code: "await new Promise(() => {});" }, URL)).rejects.toThrow(
      "A.md:3 ended with 13",
    );
  });

  it("fails for one that hangs", async () => {
    const block = { name: "A.md:4", code: "setInterval(() => {}, 1000);" };
    await expect(runBlock(block, URL, 500)).rejects.toThrow("A.md:4 did not end within 500 ms");
  });
});
