import { expect, it } from "vitest";
import { programAt } from "../src/child/program.ts";

const PROGRAM = new URL("./echo-process.ts", import.meta.url);

it("answers one order after the other, and says what went wrong", async () => {
  await using program = await programAt(PROGRAM);
  const child = await program.start("prefix");
  expect(await child.ask("one")).toBe("prefix one");
  await expect(child.ask("wrong")).rejects.toThrow("this order is wrong");
  expect(await child.ask("two")).toBe("prefix two");
});

it("says so when the process ends by itself", async () => {
  await using program = await programAt(PROGRAM);
  const child = await program.start("prefix");
  await expect(child.ask("end")).rejects.toThrow("ended by itself: [7,null]");
});
