import { memoryStore, redisStore } from "@sluice/core";
import { expect, it } from "vitest";
import { Company } from "../src/company.ts";
import { compareByOwnClock, compareSides, type SidesBy } from "../src/compare.ts";
import { LoneLimits } from "../src/lone.ts";
import { useRedis } from "./server.ts";

const { connection } = await useRedis();
const LEAST_OPERATIONS = 5_000;
/** A failure takes its time until its trace is short. */
const TIMEOUT_MS = 120_000;
let traces = 0;

const memoryAndRedis: SidesBy = (composition, clock) => ({
  one: new Company(composition, memoryStore({ clock })),
  other: new Company(
    composition,
    redisStore(connection, { clock, prefix: `trace-${traces++}`, timeoutMs: 10_000 }),
  ),
});

const togetherAndAlone: SidesBy = (composition, clock) => ({
  one: new Company(composition, memoryStore({ clock })),
  other: new LoneLimits(composition, memoryStore({ clock })),
});

it(
  `a composition answers alike in memory and on Redis through more than ${LEAST_OPERATIONS} operations`,
  async () => {
    expect(await compareSides(memoryAndRedis, { runs: 300, look: "at the end" })).toBeGreaterThan(
      LEAST_OPERATIONS,
    );
  },
  TIMEOUT_MS,
);

it(
  "a composition answers alike by the clock of the server and, in memory, by one that is set to that",
  async () => {
    const sides: SidesBy = (composition, clock) => ({
      one: new Company(
        composition,
        redisStore(connection, { prefix: `trace-${traces++}`, timeoutMs: 10_000 }),
      ),
      other: new Company(composition, memoryStore({ clock })),
    });
    expect(await compareByOwnClock(sides, 100)).toBeGreaterThan(1_000);
  },
  TIMEOUT_MS,
);

it(
  `a composition allows, charges and tells what its limits would alone, through more than ${LEAST_OPERATIONS} operations`,
  async () => {
    expect(await compareSides(togetherAndAlone, { runs: 300, look: "often" })).toBeGreaterThan(
      LEAST_OPERATIONS,
    );
  },
  TIMEOUT_MS,
);
