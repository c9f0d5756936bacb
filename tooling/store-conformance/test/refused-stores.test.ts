import { connectResp, startRedis } from "@sluice/redis-server";
import { afterAll, describe, expect, it } from "vitest";
import { ALGORITHMS } from "../src/algorithms.ts";
import { Bench } from "../src/bench.ts";
import type { Candidate } from "../src/candidate.ts";
import type { Check } from "../src/check.ts";
import { refusals } from "../src/refusals.ts";
import { TOPICS } from "../src/topics.ts";
import { failing } from "./failing-stores.ts";
import { inMemory, Workshop } from "./faulty-stores.ts";
import { MISCOUNTING } from "./miscounting-stores.ts";
import { misplacing } from "./misplacing-stores.ts";

const redis = await startRedis();
const connection = await connectResp(redis);
afterAll(async () => {
  connection.close();
  await redis.stop();
});

const workshop = new Workshop(redis, connection);
const faultyStores = [...MISCOUNTING, ...misplacing(workshop), ...failing(workshop)];
const checks = TOPICS.flatMap((topic) => topic.checks);

describe("the kit", () => {
  for (const candidate of [inMemory(), workshop.sound]) {
    it(`accepts a store without a fault, ${candidate.name}`, async () => {
      for (const check of checks) {
        if (check.needs !== undefined && candidate[check.needs] === undefined) continue;
        await expect(run(check, candidate), check.title).resolves.toBeUndefined();
      }
    });
  }

  for (const { fault, candidate, refusedBy } of faultyStores) {
    it(`refuses a store that ${fault}`, async () => {
      for (const check of refusedBy.map(checkThat)) {
        await expect(run(check, candidate), check.title).rejects.toThrow();
      }
    });
  }

  it("puts each way to connect to checks that refuse what can be wrong with one", () => {
    const wrong = faultyStores.filter(({ ofConnection }) => ofConnection);
    expect(wrong).not.toEqual([]);
    for (const { fault, refusedBy } of wrong) {
      const refusing = refusedBy.map(checkThat).filter(({ ofConnections }) => ofConnections !== undefined);
      expect(refusing, fault).not.toEqual([]);
    }
  });

  it("has no check that every store passes, but for what limiters refuse by themselves", () => {
    const refusing = faultyStores.flatMap(({ refusedBy }) => refusedBy.map(checkThat));
    const idle = checks.filter((check) => !refusing.includes(check));
    expect(refusals.checks).toEqual(expect.arrayContaining(idle));
  });
});

/** Makes a check for one algorithm. */
function run(check: Check, candidate: Candidate): Promise<void> {
  const [algorithm] = ALGORITHMS;
  if (algorithm === undefined) throw new Error("there is no algorithm");
  return check.run(new Bench(candidate, algorithm));
}

/** The one check whose title says so. */
function checkThat(says: string): Check {
  const [found, ...others] = checks.filter(({ title }) => title.includes(says));
  if (found !== undefined && others.length === 0) return found;
  throw new Error(
    `one check was expected to say "${says}", found ${found === undefined ? 0 : others.length + 1}`,
  );
}
