import type { FaultProxy } from "@sluice/fault-proxy";
import type { RedisServer } from "@sluice/redis-server";
import type { Accounts } from "./account.ts";

/** What faults happen to. */
export interface Ground {
  /** All callers connect through it. */
  readonly proxy: FaultProxy;
  readonly server: RedisServer;
}

/** Something that goes wrong for a while. */
export interface Fault {
  readonly title: string;
  /** Whether calls cannot but fail meanwhile; otherwise they may. */
  readonly failsCalls: boolean;
  /**
   * Lets it go wrong for about `lastsMs` and puts it right again. What is left to do then is up to the clients.
   *
   * @param brokenKey the only key that may be harmed
   */
  happen(ground: Ground, lastsMs: number, brokenKey: string): Promise<void>;
  /** Throws where something does not hold that must, beyond what must for every fault. */
  also?(accounts: Accounts): void;
}
