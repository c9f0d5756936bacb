import { expect, it } from "vitest";
import { flatLine, PER_SECOND } from "../src/flat-line.ts";

it("does every job, in the order in which they come, and as many each second to the last", async () => {
  const { come, done } = await flatLine();
  expect(done.map(({ worker }) => worker)).toEqual(come.map(({ worker }) => worker));
  const seconds = Math.floor((done.at(-1)?.atMs ?? 0) / 1_000);
  const counts = Array.from(
    { length: seconds },
    (_, second) => done.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length,
  );
  expect(counts).toEqual(counts.map(() => PER_SECOND));
});
