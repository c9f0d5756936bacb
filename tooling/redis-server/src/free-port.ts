import { once } from "node:events";
import { createServer } from "node:net";

export const LOOPBACK = "127.0.0.1";

/** Below the ports that systems hand out to those who ask for any, which could take the second of a pair. */
const PAIRS = { from: 10_000, to: 22_000 };

/** A loopback port that is free now. Another program may take it before it is used: callers try again. */
export async function freePort(): Promise<number> {
  const port = await listenBriefly(0);
  if (port === undefined) throw new Error(`no port of ${LOOPBACK} is free`);
  return port;
}

/** A loopback port that is free now, as is the one that lies `apart` above it. */
export async function freePortPair(apart: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = PAIRS.from + Math.floor(Math.random() * (PAIRS.to - PAIRS.from));
    const both = [await listenBriefly(port), await listenBriefly(port + apart)];
    if (!both.includes(undefined)) return port;
  }
  throw new Error(`no two ports of ${LOOPBACK} that lie ${apart} apart are free`);
}

/** Takes `port`, or any for 0, and gives it up again. Nothing where it is taken. */
async function listenBriefly(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, LOOPBACK);
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? address?.port : undefined;
}
