import type { Server } from "node:http";

/** A server that listens on loopback. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Starts a server of Node's own on a free port. */
export async function listen(server: Server, close?: () => Promise<void>): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (close !== undefined) return close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
