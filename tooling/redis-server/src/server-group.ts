import type { RedisServer } from "./redis-server.ts";

/** Servers that belong together, and are stopped together. */
export class ServerGroup {
  readonly #servers: RedisServer[] = [];

  async start(start: () => Promise<RedisServer>): Promise<RedisServer> {
    const server = await start();
    this.#servers.push(server);
    return server;
  }

  /** Starts `count` servers at the same time. */
  async startAll(count: number, start: () => Promise<RedisServer>): Promise<RedisServer[]> {
    const starts = await Promise.allSettled(Array.from({ length: count }, () => this.start(start)));
    const failure = starts.find((outcome) => outcome.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    return starts.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

/** Resolves with what `build` makes of a group of servers; when that fails, none of them is left. */
export async function withServers<T>(build: (group: ServerGroup) => Promise<T>): Promise<T> {
  const group = new ServerGroup();
  try {
    return await build(group);
  } catch (error) {
    await group.stop();
    throw error;
  }
}
