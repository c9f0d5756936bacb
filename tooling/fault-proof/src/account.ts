/** What has come of the calls for one key. */
export interface Account {
  calls: number;
  /** How many were answered, or failed, within the patience. */
  settled: number;
  /** Units of decisions that allowed, as the store told. */
  granted: number;
  denied: number;
  /** Calls that failed, and those of them that did by a timeout. */
  failed: number;
  timedOut: number;
  /** Units of calls that failed and may have been counted. */
  uncertain: number;
  /** Errors that are none of the store. */
  strange: string[];
}

/** By the title of the demand. */
export type Accounts = Record<string, Account>;

export function emptyAccount(): Account {
  return { calls: 0, settled: 0, granted: 0, denied: 0, failed: 0, timedOut: 0, uncertain: 0, strange: [] };
}

/** Those of several processes as one. */
export function sumOf(all: readonly Accounts[]): Accounts {
  const sums: Accounts = {};
  for (const [title, account] of all.flatMap((accounts) => Object.entries(accounts))) {
    const sum = sums[title] ?? emptyAccount();
    sums[title] = {
      calls: sum.calls + account.calls,
      settled: sum.settled + account.settled,
      granted: sum.granted + account.granted,
      denied: sum.denied + account.denied,
      failed: sum.failed + account.failed,
      timedOut: sum.timedOut + account.timedOut,
      uncertain: sum.uncertain + account.uncertain,
      strange: [...sum.strange, ...account.strange],
    };
  }
  return sums;
}
