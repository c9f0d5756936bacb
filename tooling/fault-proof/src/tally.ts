import type { Accounts } from "./account.ts";
import { DEMANDS } from "./demands.ts";
import type { Used } from "./orders.ts";

/** What has come of a round, in units but for calls. */
export interface Tally {
  readonly calls: number;
  readonly settled: number;
  readonly failed: number;
  readonly granted: number;
  /** Of `granted`, what was granted by limits that can be used up; and what those limits allow. */
  readonly scarceGranted: number;
  readonly scarceAllowed: number;
  /** Granted beyond the limits, each key by itself. */
  readonly excess: number;
  /** Granted, and not counted by the store. */
  readonly lost: number;
  /** Counted by the store, though neither granted nor uncertain. */
  readonly doubled: number;
}

/**
 * @param accounts of all processes
 * @param used what the store counts for each key
 * @param scarce the limit of those that can be used up
 */
export function tallyOf(accounts: Accounts, used: Used, scarce: number): Tally {
  let tally: Tally = {
    calls: 0,
    settled: 0,
    failed: 0,
    granted: 0,
    scarceGranted: 0,
    scarceAllowed: 0,
    excess: 0,
    lost: 0,
    doubled: 0,
  };
  for (const { title, isScarce } of DEMANDS) {
    const [account, counted] = [accounts[title], used[title]];
    if (account === undefined || counted === undefined) throw new Error(`nothing is known of ${title}`);
    const { granted, uncertain } = account;
    tally = {
      calls: tally.calls + account.calls,
      settled: tally.settled + account.settled,
      failed: tally.failed + account.failed,
      granted: tally.granted + granted,
      scarceGranted: tally.scarceGranted + (isScarce ? granted : 0),
      scarceAllowed: tally.scarceAllowed + (isScarce ? scarce : 0),
      excess: tally.excess + (isScarce ? Math.max(0, granted - scarce) : 0),
      lost: tally.lost + Math.max(0, granted - counted),
      doubled: tally.doubled + Math.max(0, counted - granted - uncertain),
    };
  }
  return tally;
}
