import fc from "fast-check";

/** The same inputs in every run of the tests; the soak looks for others. */
const USUAL_SEED = 20_250_101;
/** A state lives on a server for at least a second of real time, while the clock of a test may stand still. */
const SHORTEST_LIFE_MS = 1_000;

/**
 * Checks a property. `SLUICE_PROOF_SEED` sets another seed than the usual one, `random` a new one each time; a
 * failure names the seed that shows it.
 *
 * @param seed wins over both
 */
export async function check<Inputs>(
  property: fc.IAsyncProperty<Inputs>,
  runs: number,
  seed: number = usualSeed(),
): Promise<void> {
  await fc.assert(unlessSlow(property), { numRuns: runs, includeErrorInReport: true, seed });
}

/** Any seed that there is. */
export function anySeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function usualSeed(): number {
  const said = process.env.SLUICE_PROOF_SEED;
  if (said === "random") return anySeed();
  return said === undefined ? USUAL_SEED : Number(said);
}

/** A run that fails on a machine so slow that states may have lapsed meanwhile has shown nothing, and is left out. */
function unlessSlow<Inputs>(property: fc.IAsyncProperty<Inputs>): fc.IAsyncProperty<Inputs> {
  return {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
    async run(inputs) {
      const startMs = performance.now();
      const failure = await property.run(inputs);
      const slow = performance.now() - startMs > SHORTEST_LIFE_MS;
      return failure !== null && slow ? new fc.PreconditionFailure() : failure;
    },
  };
}
