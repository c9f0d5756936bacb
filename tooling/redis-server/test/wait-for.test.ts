import { describe, expect, it } from "vitest";
import { waitFor, waitUntil } from "../src/wait-for.ts";

describe("waitFor", () => {
  it("asks until there is an answer", async () => {
    const answers = [() => undefined, () => Promise.reject(new Error("not yet")), () => 0];
    expect(await waitFor("it is there", async () => answers.shift()?.())).toBe(0);
  });

  it("says what was waited for in vain, and why", async () => {
    const cause = new Error("refused");
    const failed = waitUntil("it is there", () => Promise.reject(cause), 60);
    await expect(failed).rejects.toThrow("waited 60 ms in vain until it is there");
    await expect(failed).rejects.toMatchObject({ cause });
  });
});
