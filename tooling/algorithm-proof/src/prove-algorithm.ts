import { describe, expect, it } from "vitest";
import { proveCrowdCases } from "./cases/crowds.ts";
import { proveKeyCases } from "./cases/keys.ts";
import { proveNumberCases } from "./cases/numbers.ts";
import { proveTimeCases } from "./cases/time.ts";
import { compareKernels, comparePlainArguments } from "./differential.ts";
import { proveAtomicity } from "./promises/atomicity.ts";
import { proveBadInput } from "./promises/bad-input.ts";
import { proveBounds } from "./promises/bounds.ts";
import { proveClockSteps } from "./promises/clock-steps.ts";
import { proveExactRetry } from "./promises/exact-retry.ts";
import { proveFreeDenials } from "./promises/free-denials.ts";
import { proveLifetimes } from "./promises/lifetimes.ts";
import { provePolicyChanges } from "./promises/policy-changes.ts";
import { proveRefunds } from "./promises/refunds.ts";
import { proveSettlements } from "./promises/settlements.ts";
import { proofServer } from "./proof-server.ts";
import { compareWithModel } from "./reference.ts";
import { soak } from "./soak.ts";
import type { Subject } from "./subject.ts";

const LEAST_STEPS = 10_000;
const KERNEL_TRACES = 400;
const PLAIN_TRACES = 5;
const MODEL_TRACES = 1_500;
/** A failure takes its time until its trace is short. */
const TIMEOUT_MS = 120_000;
const NO_TIMEOUT_MS = 0;
/** How long to soak in place of the proofs; unset in ordinary runs. */
const { SLUICE_SOAK_SECONDS } = process.env;

/**
 * Registers the whole proof of an algorithm with the test runner: both kernels against one another and against a
 * model, each promise of the contract, and the field's cases, in memory and on a server that runs for the occasion.
 * What cannot concern an algorithm, by the facts that it states, shows as a named skip.
 *
 * @example
 * ```ts
 * proveAlgorithm({
 *   create: fixedWindow,
 *   shape: (limit, windowMs) => ({ limit, window: windowMs }),
 *   resized: (limit) => ({ limit }),
 *   policies: fc.record({ limit: wide(1, 2 ** 53 - 1), window: wide(1, 2 ** 52) }),
 *   model: ({ limit, window }) => new FixedWindowModel(limit, Number(window)),
 *   atMost: (limit, windowMs, stretchMs) => limit * (Math.ceil(stretchMs / windowMs) + 1),
 *   smallestLimit: 0,
 *   windowsKept: 1,
 *   undoes: "window",
 *   delays: false,
 * });
 * ```
 */
export function proveAlgorithm<Own extends object>(subject: Subject<Own>): void {
  if (SLUICE_SOAK_SECONDS !== undefined) {
    soakFor(subject, Number(SLUICE_SOAK_SECONDS));
    return;
  }
  const server = proofServer();

  describe("both kernels", () => {
    it(
      `answer alike, number by number, through more than ${LEAST_STEPS} random steps`,
      async () => {
        const steps = await compareKernels(subject, server.connection(), KERNEL_TRACES);
        expect(steps).toBeGreaterThan(LEAST_STEPS);
      },
      TIMEOUT_MS,
    );

    it(
      "answer alike whether a script's numbers are packed or plain text",
      async () => {
        const steps = await comparePlainArguments(subject, server.connection(), PLAIN_TRACES);
        expect(steps).toBeGreaterThan(50);
      },
      TIMEOUT_MS,
    );

    it(
      "decide as the model does",
      async () => {
        const operations = await compareWithModel(subject, MODEL_TRACES);
        expect(operations).toBeGreaterThan(LEAST_STEPS);
      },
      TIMEOUT_MS,
    );
  });

  proveExactRetry(subject, server);
  proveFreeDenials(subject, server);
  proveAtomicity(subject, server);
  proveLifetimes(subject, server);
  proveClockSteps(subject, server);
  provePolicyChanges(subject, server);
  proveRefunds(subject, server);
  proveSettlements(subject, server);
  proveBounds(subject, server);
  proveBadInput(subject, server);

  describe("cases from the field", () => {
    proveTimeCases(subject, server);
    proveNumberCases(subject, server);
    proveKeyCases(subject, server);
    proveCrowdCases(subject, server);
  });
}

/** One endless test in place of all others: it ends by a difference, or when its time is over. */
function soakFor<Own extends object>(subject: Subject<Own>, seconds: number): void {
  it(
    "answers alike in both kernels and in its model for as long as it is asked",
    async () => {
      const { algorithm } = subject.create({ ...subject.shape(10, 1_000), name: "soak" }).policy;
      const untilMs = Date.now() + seconds * 1_000;
      const soaked = await soak(subject, {
        untilMs,
        report: ({ steps, operations }) => {
          if (steps % 100_000 < 5_000) console.log(`${algorithm}: ${steps} steps, ${operations} operations`);
        },
      });
      expect(soaked.steps).toBeGreaterThan(0);
    },
    NO_TIMEOUT_MS,
  );
}
