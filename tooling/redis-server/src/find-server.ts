import { installServer } from "./install-server.ts";
import { findOnPath, isExecutable } from "./on-path.ts";

/** What a Redis server may be called, in the order in which it is looked for. */
const SERVER_NAMES = ["redis-server", "valkey-server"];

/** The server that is on this machine already: `REDIS_SERVER` first, then the `PATH`. */
function locateServer(): string | undefined {
  const named = process.env.REDIS_SERVER;
  if (named === undefined || named === "") return findOnPath(SERVER_NAMES);
  if (isExecutable(named)) return named;
  throw new Error(
    `REDIS_SERVER is "${named}", which is not a program: set it to the path of a redis-server.`,
  );
}

/**
 * The path of a Redis or Valkey server. Installs one where none is found and that is possible.
 *
 * @throws {Error} where it is not possible: the message says what to type.
 */
export async function findServer(): Promise<string> {
  const found = locateServer();
  if (found !== undefined) return found;
  installServer();
  const installed = locateServer();
  if (installed === undefined) throw new Error("A Redis server was installed, but it is not on the PATH.");
  return installed;
}
