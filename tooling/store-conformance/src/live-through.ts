import { setTimeout as sleep } from "node:timers/promises";
import type { Load } from "./load.ts";

/** Is told by what happens what callers may have to put up with. */
export interface Witness {
  /**
   * Does something that may take grants with it. Replication is asynchronous: what a primary grants and has not passed
   * on when it dies is forgotten, and its successor can grant it once more. That much may be granted beyond a limit,
   * and nothing else.
   *
   * @param work begins by passing on what was granted before, see `passOn`
   * @param ofUser whose keys the primary has; by default everybody's
   */
  mayForget(work: () => Promise<void>, ofUser?: (user: string) => boolean): Promise<void>;
}

const BEFORE_AND_AFTER_MS = 400;
/** Clients look for the servers by themselves, at ever longer intervals. */
const SERVES_WITHIN_MS = 10_000;
const REPLIES_ARE_IN_MS = 50;

/** Keeps loads up while something happens, and a little longer. Those of `returning` are to be served again by then. */
export async function liveThrough(
  loads: readonly Load[],
  returning: readonly Load[],
  happen: (witness: Witness) => Promise<void>,
): Promise<void> {
  try {
    await Promise.all(loads.map((load) => load.answersEverybody(SERVES_WITHIN_MS)));
    await sleep(BEFORE_AND_AFTER_MS);
    await happen({ mayForget: (work, ofUser) => forgetting(loads, work, ofUser) });
    await Promise.all(
      returning.map(async (load) => {
        load.servesAgain = await load.answersEverybody(SERVES_WITHIN_MS);
      }),
    );
    await sleep(BEFORE_AND_AFTER_MS);
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
}

async function forgetting(
  loads: readonly Load[],
  work: () => Promise<void>,
  ofUser: (user: string) => boolean = () => true,
): Promise<void> {
  const accounts = loads.flatMap((load) => load.accounts).filter(({ user }) => ofUser(user));
  for (const account of accounts) account.beginForgetting();
  await work();
  // replies that were on their way, even where this process is held up: each sleep lets it read what has come
  for (let time = 0; time < 3; time += 1) await sleep(REPLIES_ARE_IN_MS);
  for (const account of accounts) account.endForgetting();
}
