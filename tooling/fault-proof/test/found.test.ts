import { afterAll, expect, it } from "vitest";
import { Crowd } from "../src/crowd.ts";
import { keyOf } from "../src/demands.ts";
import { FAULTS } from "../src/faults.ts";

const crowd = await Crowd.gather([{ path: new URL("naive-callers.ts", import.meta.url), args: [] }]);
afterAll(() => crowd.disperse());

it("finds doubled what a client sends again since its reply was lost", async () => {
  const round = { name: "again", scarce: 60 };
  const lostReplies = FAULTS.find(({ title }) => title === "replies are dropped, and connections with them");
  const { tally } = await crowd.live(round, async (ground) =>
    lostReplies?.happen(ground, 700, keyOf("broken", round)),
  );
  expect(tally).toMatchObject({ lost: 0, doubled: expect.toSatisfy((units: number) => units > 0) });
});

it("finds lost what a server has forgotten", async () => {
  const round = { name: "forgotten", scarce: 60 };
  const { tally } = await crowd.live(round, async ({ server }) => {
    await server.command("FLUSHALL");
  });
  expect(tally).toMatchObject({ lost: expect.toSatisfy((units: number) => units > 0), doubled: 0 });
});
