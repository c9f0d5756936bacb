import { createServer } from "node:net";

export const LOOPBACK = "127.0.0.1";

/** A loopback port that is free now. Another program may take it before it is used: callers try again. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
