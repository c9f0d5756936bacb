import { connect, createServer, type Socket } from "node:net";
import { type Faults, Pipe } from "./faults.ts";

const LOOPBACK = "127.0.0.1";

/** A server that passes everything on to another one, until it is told otherwise. */
export interface FaultProxy extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Behaves like this from now on, on connections that are open as well. */
  behave(faults: Faults): void;
  /** Breaks all connections that are open. */
  cut(): void;
  /** Breaks all connections and ends. */
  stop(): Promise<void>;
}

/** Starts a proxy on a free loopback port. */
export async function startProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  let faults: Faults = {};
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (faults.refuse) {
      client.destroy();
      return;
    }
    const upstream = connect(target);
    const [toServer, toClient] = [new Pipe(upstream), new Pipe(client)];
    client.on("data", (bytes: Buffer) => toServer.push(bytes, faults.requests ?? "pass", 0));
    upstream.on("data", (bytes: Buffer) => {
      toClient.push(bytes, faults.replies ?? "pass", faults.delayMs ?? 0);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.setNoDelay();
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const address = server.address();
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const stop = async (): Promise<void> => {
    cut();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    host: LOOPBACK,
    port: typeof address === "object" && address !== null ? address.port : 0,
    behave(next) {
      faults = next;
    },
    cut,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
