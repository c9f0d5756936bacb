import { looking } from "./ask.js";
import { isStoreError, StoreError } from "./errors.js";
import { giveBack } from "./give-back.js";
import type { Outcome, Question, Store } from "./store.js";
import { inTimeOfOne } from "./store-time.js";

/** Questions whose keys lie in one slot, and where they stand among all. */
type SlotGroup = readonly { readonly question: Question; readonly place: number }[];

/**
 * Decides on limits that a store cannot decide on together, since their keys lie in several slots of a cluster: charges
 * slot by slot, the tightest first, and gives all of it back where one denies or fails. So never more is taken than the
 * limits allow; but others may be denied meanwhile for units that are then given back. All of it takes no longer than one
 * call may.
 */
export function reserveSlots(
  store: Store,
  limiterName: string,
  questions: readonly Question[],
  signal?: AbortSignal,
): Promise<readonly Outcome[]> {
  return inTimeOfOne({
    store,
    limiterName,
    counts: questions.some(({ ask }) => ask.commit),
    work: () => chargeSlotBySlot(store, questions, signal),
    abandoned: (outcomes) => void giveBackAll(store, grantsIn(questions, outcomes), [...outcomes]),
  });
}

/** What is to be given back where all of it was granted too late. */
function grantsIn(questions: readonly Question[], outcomes: readonly Outcome[]): SlotGroup[] {
  if (outcomes.some(({ taken }) => taken < 0)) return [];
  const group = questions.map((question, place) => ({ question, place }));
  return [group.filter(({ question }) => question.ask.commit)];
}

async function chargeSlotBySlot(
  store: Store,
  questions: readonly Question[],
  signal: AbortSignal | undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const charged: SlotGroup[] = [];
  let isDenied = false;
  for (const group of slotGroups(questions)) {
    const asked = group.map(({ question }) => (isDenied ? looking(question) : question));
    const answers = await orGiveBack(store, charged, outcomes, async () => store.decideAll(asked, signal));
    group.forEach(({ place }, i) => {
      const answer = answers[i];
      if (answer !== undefined) outcomes[place] = answer;
    });
    if (isDenied) continue;
    isDenied = answers.some(({ taken }) => taken < 0);
    // once, whatever fails after that
    if (isDenied) await giveBackAll(store, charged.splice(0), outcomes);
    else if (group.every(({ question }) => question.ask.commit)) charged.push(group);
  }
  return outcomes;
}

/**
 * By the slot of their keys, that first which could allow the fewest such calls, and last that with a queue: a slot in it
 * can be given back only as long as nobody has queued up behind.
 */
function slotGroups(questions: readonly Question[]): SlotGroup[] {
  const groups = new Map<string, { question: Question; place: number }[]>();
  questions.forEach((question, place) => {
    const group = groups.get(question.key) ?? [];
    group.push({ question, place });
    groups.set(question.key, group);
  });
  return [...groups.values()].sort((one, other) => rank(one) - rank(other));
}

function rank(group: SlotGroup): number {
  if (group.some(({ question: { limit } }) => limit.kernel.queues)) return Number.POSITIVE_INFINITY;
  return Math.min(...group.map(({ question: { limit, ask } }) => limit.limit / Math.max(1, ask.cost)));
}

async function orGiveBack<Answer>(
  store: Store,
  charged: readonly SlotGroup[],
  outcomes: Outcome[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const isWhole = await giveBackAll(store, charged, outcomes);
    if (isWhole || !isStoreError(error)) throw error;
    throw new StoreError(error.message, { ...error, cause: error, mayHaveCounted: true });
  }
}

/** Takes back what was charged, and tells what stands then; false where the store failed to take it. */
async function giveBackAll(
  store: Store,
  charged: readonly SlotGroup[],
  outcomes: Outcome[],
): Promise<boolean> {
  const taken = charged.flat().map(async ({ question, place }) => {
    const outcome = outcomes[place];
    if (outcome === undefined) return;
    const standing = await giveBack(store, question, outcome);
    if (standing === undefined) return;
    const { facts, nowMs, params } = standing;
    outcomes[place] = { ...outcome, facts, nowMs, params };
  });
  const settled = await Promise.allSettled(taken);
  return settled.every(({ status }) => status === "fulfilled");
}
