import type { Server } from "node:http";
import { fixedWindow } from "@sluice/fixed-window";
import { type Limiter, tokenBucket } from "@sluice/token-bucket";
import { openStore } from "./open-store.ts";

/** What all servers among the examples have in common: their two limits, and what there is to log in to. */
export interface FrontDoor {
  /** Five requests at once, one more every two seconds. */
  readonly api: Limiter<"api">;
  /** Three failed log-ins a minute. */
  readonly login: Limiter<"login">;
  close(): void;
}

/** Limits in memory, or on the Redis server that REDIS_URL names. */
export async function openFrontDoor(): Promise<FrontDoor> {
  const { store, close } = await openStore(process.env.REDIS_URL);
  return {
    api: tokenBucket({ name: "api", capacity: 5, refill: { tokens: 1, every: "2s" }, store }),
    login: fixedWindow({ name: "login", limit: 3, window: "1m", anchor: "first", store }),
    close,
  };
}

/** The status that log-ins are answered with. Only those of 401 count. */
export function loginStatus(password: unknown): 200 | 401 {
  return password === "sesame" ? 200 : 401;
}

export function succeeded(status: number): boolean {
  return status < 400;
}

/** Where the servers listen: on loopback, at PORT or 3000; 0 is any port that is free. */
export const HOST = "127.0.0.1";
export const PORT: number = readPort(process.env.PORT ?? "3000");

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  console.error(`PORT must be a whole number from 0 to 65535, got ${JSON.stringify(text)}`);
  process.exit(1);
}

/** Says what to try, and closes the server and its store when it is told to end. */
export function open(server: Server, { close }: FrontDoor): void {
  const address = server.address();
  const url = `http://${HOST}:${typeof address === "object" ? address?.port : ""}/`;
  const place = process.env.REDIS_URL ? "on Redis, as REDIS_URL says" : "in memory; with REDIS_URL on Redis";
  console.log(`Listening on ${url}. What is used is kept ${place}. Try, several times:

  curl -i ${url}
  curl -i -X POST '${url}login?password=guess'
  curl -i -X POST '${url}login?password=sesame'
`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      close();
      server.close();
      server.closeAllConnections();
    });
  }
}
