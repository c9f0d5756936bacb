/**
 * What each contestant came to, round by round. Every round runs all of them, in an order that alternates, so that
 * whatever else the machine does meets all of them alike.
 */
export async function inRounds<Contestant, Sample>(
  contestants: readonly Contestant[],
  rounds: number,
  sample: (contestant: Contestant) => Promise<Sample>,
): Promise<Map<Contestant, Sample[]>> {
  const samples = new Map(contestants.map((contestant): [Contestant, Sample[]] => [contestant, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of inOrder(contestants, round)) {
      samples.get(contestant)?.push(await sample(contestant));
    }
  }
  return samples;
}

/** Another order every round: whoever comes first or last, or after whom, has no share in the medians. */
function inOrder<T>(items: readonly T[], round: number): readonly T[] {
  const first = round % items.length;
  const turned = [...items.slice(first), ...items.slice(0, first)];
  return round % 2 === 0 ? turned : turned.reverse();
}
