import { redisStore } from "@sluice/core";
import type { RespClient } from "@sluice/redis-server";
import { compareStores } from "./compare-stores.ts";
import { kernelStore } from "./kernel-store.ts";
import { plainStore } from "./plain-store.ts";
import type { Subject } from "./subject.ts";

let traces = 0;

/** The TypeScript kernel against the Lua scripts on a server. Returns how many steps were compared. */
export function compareKernels<Own extends object>(
  subject: Subject<Own>,
  connection: RespClient,
  runs: number,
  seed?: number,
): Promise<number> {
  return compareStores(
    subject,
    (clock) => ({
      one: kernelStore(clock),
      other: redisStore(connection, { clock, prefix: `kernels-${traces++}` }),
    }),
    runs,
    seed,
  );
}

/** The scripts called as `redis-cli --eval` calls them against the scripts as the store calls them. */
export function comparePlainArguments<Own extends object>(
  subject: Subject<Own>,
  connection: RespClient,
  runs: number,
  seed?: number,
): Promise<number> {
  return compareStores(
    subject,
    (clock) => {
      const prefix = `arguments-${traces++}`;
      return {
        one: plainStore(connection, `${prefix}-plain`, clock),
        other: redisStore(connection, { clock, prefix }),
      };
    },
    runs,
    seed,
  );
}
