import { setTimeout as sleep } from "node:timers/promises";
import type { Accounts } from "./account.ts";
import { DEMANDS } from "./demands.ts";
import type { Fault } from "./fault.ts";

/** Where nobody listens. */
const NO_PRIMARY = ["127.0.0.1", "1"] as const;

/** Puts a list where a state was, which is kept aside; KEYS finds it, as no key is made up here. */
const BREAK = `
  local found = redis.call('KEYS', '*{' .. ARGV[1] .. '}')
  assert(#found == 1, 'one key was expected')
  redis.call('RENAME', found[1], 'aside')
  redis.call('RPUSH', found[1], 'of another type')`;
const MEND = `
  local found = redis.call('KEYS', '*{' .. ARGV[1] .. '}')
  redis.call('DEL', found[1])
  redis.call('RENAME', 'aside', found[1])`;

/** What the server may come to. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    title: "the memory is full",
    failsCalls: true,
    async happen({ server }, lastsMs) {
      await server.command("CONFIG", "SET", "maxmemory", "1");
      await sleep(lastsMs);
      await server.command("CONFIG", "SET", "maxmemory", "0");
    },
    also: expectCertainty,
  },
  {
    title: "the server is a replica",
    failsCalls: true,
    async happen({ server }, lastsMs) {
      // of one out of reach: from one in reach it would fetch a state of its own
      await server.command("REPLICAOF", ...NO_PRIMARY);
      await sleep(lastsMs);
      await server.command("REPLICAOF", "NO", "ONE");
    },
    also: expectCertainty,
  },
  {
    title: "the server pauses its clients",
    failsCalls: true,
    async happen({ server }, lastsMs) {
      await server.command("CLIENT", "PAUSE", String(lastsMs));
      await sleep(lastsMs);
    },
  },
  {
    title: "the server sleeps",
    failsCalls: true,
    async happen({ server }, lastsMs) {
      await server.command("DEBUG", "SLEEP", String(lastsMs / 1_000));
    },
  },
  {
    title: "the server is killed, and started again",
    failsCalls: true,
    async happen({ server }, lastsMs) {
      await server.kill();
      await sleep(lastsMs);
      await server.restart();
    },
  },
  {
    title: "a key is of the wrong type",
    failsCalls: true,
    async happen({ server }, lastsMs, brokenKey) {
      await server.command("EVAL", BREAK, "0", brokenKey);
      await sleep(lastsMs);
      await server.command("EVAL", MEND, "0", brokenKey);
    },
    also(accounts) {
      expectCertainty(accounts);
      for (const { title } of DEMANDS.filter(({ title }) => title !== "broken")) {
        const { failed = 0, timedOut = 0 } = accounts[title] ?? {};
        if (failed > timedOut) throw new Error(`calls of ${title} failed as well`);
      }
    },
  },
];

/** A server that says why it refuses has counted nothing. On a busy machine a call may time out all the same. */
function expectCertainty(accounts: Accounts): void {
  for (const { title, cost } of DEMANDS) {
    const { uncertain = 0, timedOut = 0 } = accounts[title] ?? {};
    if (uncertain > timedOut * cost) throw new Error(`calls of ${title} may have been counted`);
  }
}
