import { setTimeout as sleep } from "node:timers/promises";
import type { Faults } from "@sluice/fault-proxy";
import { TIMEOUT_MS } from "./demands.ts";
import type { Fault, Ground } from "./fault.ts";

const BURST_MS = 100;

/** What the network between clients and server may do. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    title: "replies come late, but in time",
    failsCalls: false,
    happen: (ground, lastsMs) => behaving(ground, lastsMs, { delayMs: 100 }),
  },
  {
    title: "replies come after the timeout",
    failsCalls: true,
    happen: (ground, lastsMs) => behaving(ground, lastsMs, { delayMs: TIMEOUT_MS + 100 }),
  },
  {
    title: "connections are cut again and again",
    failsCalls: false,
    happen: (ground, lastsMs) =>
      inBursts(lastsMs, async () => {
        ground.proxy.cut();
        await sleep(BURST_MS);
      }),
  },
  {
    title: "connections are refused",
    failsCalls: true,
    happen: async (ground, lastsMs) => {
      ground.proxy.cut();
      await behaving(ground, lastsMs, { refuse: true });
    },
  },
  {
    title: "connections are half-open",
    failsCalls: true,
    happen: (ground, lastsMs) => untilCut(ground, lastsMs, { requests: "swallow", replies: "swallow" }),
  },
  {
    title: "replies are dropped after commands ran",
    failsCalls: true,
    happen: (ground, lastsMs) => untilCut(ground, lastsMs, { replies: "swallow" }),
  },
  {
    title: "replies are dropped, and connections with them",
    failsCalls: true,
    happen: (ground, lastsMs) =>
      inBursts(lastsMs, async () => {
        await untilCut(ground, BURST_MS, { replies: "swallow" });
        await sleep(BURST_MS);
      }),
  },
  {
    title: "replies are garbage",
    failsCalls: true,
    happen: (ground, lastsMs) => untilCut(ground, lastsMs, { replies: "garbage" }),
  },
  {
    title: "replies come in slow drips",
    failsCalls: true,
    happen: (ground, lastsMs) => untilCut(ground, lastsMs, { replies: "drip" }),
  },
];

async function behaving({ proxy }: Ground, lastsMs: number, faults: Faults): Promise<void> {
  proxy.behave(faults);
  try {
    await sleep(lastsMs);
  } finally {
    proxy.behave({});
  }
}

/**
 * Ends as a network does that has lost bytes: no connection goes on behind a gap, since what came next would be taken
 * for what is missing. After garbage some clients go on by themselves, and need the end of their connection too.
 */
async function untilCut(ground: Ground, lastsMs: number, faults: Faults): Promise<void> {
  await behaving(ground, lastsMs, faults);
  ground.proxy.cut();
}

async function inBursts(lastsMs: number, burst: () => Promise<void>): Promise<void> {
  const endsAtMs = performance.now() + lastsMs;
  while (performance.now() < endsAtMs) await burst();
}
