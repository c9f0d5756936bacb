import type { Candidate } from "@sluice/store-conformance";
import { type IoredisClient, ioredisStore } from "../src/index.js";

/** Options that all of the libraries have, but for `protocol`, which is new in ioredis 6. */
interface Options {
  port?: number;
  path?: string;
  db?: number;
  password?: string;
  keyPrefix?: string;
  tls?: { ca: string };
  protocol?: 2 | 3;
  enableAutoPipelining?: boolean;
  sentinels?: { host: string; port: number }[];
  name?: string;
}

interface Address {
  host: string;
  port: number;
}

/** How a client reaches the servers: through the nodes of a cluster, if there are any. Plain data. */
export interface Way {
  nodes?: Address[];
  options: Options;
}

type Client = IoredisClient & { disconnect(): void };

/** Each is imported only where it is used: a crowd starts sooner then. */
const opening = {
  async "ioredis 6"({ nodes, options }: Way): Promise<Client> {
    const { Cluster, Redis } = await import("ioredis");
    return nodes === undefined ? new Redis(options) : new Cluster(nodes, options);
  },
  async "ioredis 5"({ nodes, options }: Way): Promise<Client> {
    const { Cluster, Redis } = await import("ioredis-5");
    return nodes === undefined ? new Redis(options) : new Cluster(nodes, options);
  },
  async iovalkey({ nodes, options }: Way): Promise<Client> {
    const { Cluster, Redis } = await import("iovalkey");
    return nodes === undefined ? new Redis(options) : new Cluster(nodes, options);
  },
};

export type Library = keyof typeof opening;
export const LIBRARIES: readonly Library[] = ["ioredis 6", "ioredis 5", "iovalkey"];

export function openClient(library: Library, way: Way): Promise<Client> {
  return opening[library](way);
}

/** Clients to be closed in the end, and what the kit is told about stores on them. */
export class Clients {
  readonly #opened: Client[] = [];

  async candidate(
    library: Library,
    title: string,
    way: Way,
    servers: Candidate["servers"],
  ): Promise<Candidate> {
    const client = await openClient(library, way);
    this.#opened.push(client);
    return {
      name: `${library}, ${title}`,
      open: (options) => ioredisStore(client, options),
      servers,
      program: { path: new URL("crowd.ts", import.meta.url), args: [library, JSON.stringify(way)] },
    };
  }

  close(): void {
    for (const client of this.#opened) client.disconnect();
  }
}
