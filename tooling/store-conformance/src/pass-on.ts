import { expect, vi } from "vitest";
import type { StateServer } from "./candidate.ts";

/** Waits until a replica has all that its primary has written by now. */
export async function passOn(primary: StateServer, replica: StateServer): Promise<void> {
  // ["master", offset, …], and ["slave", host, port, "connected", offset]
  const [, written] = await roleOf(primary);
  const arrived = async (): Promise<void> => {
    const [, , , , offset] = await roleOf(replica);
    expect(Number(offset)).toBeGreaterThanOrEqual(Number(written));
  };
  await vi.waitFor(arrived, { timeout: 5_000, interval: 5 });
}

async function roleOf(server: StateServer): Promise<unknown[]> {
  const role = await server.command("ROLE");
  return Array.isArray(role) ? role : [];
}
