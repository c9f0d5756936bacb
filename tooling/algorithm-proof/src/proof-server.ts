import { connectResp, type RedisServer, type RespClient, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll } from "vitest";

/** The server of a suite, which runs while its tests do. */
export interface ProofServer {
  /** The connection that most tests share. */
  connection(): RespClient;
  /** One more connection, for callers that shall not wait for one another. */
  connect(): Promise<RespClient>;
}

/** Starts a server before the tests of the suite at hand, and stops it after them. */
export function proofServer(): ProofServer {
  const connections: RespClient[] = [];
  let redis: RedisServer | undefined;

  const connect = async (): Promise<RespClient> => {
    if (redis === undefined) throw new Error("the server runs only while the tests do");
    const connection = await connectResp(redis);
    connections.push(connection);
    return connection;
  };
  beforeAll(async () => {
    redis = await startRedis();
    await connect();
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await redis?.stop();
  });

  return {
    connect,
    connection() {
      const [first] = connections;
      if (first === undefined) throw new Error("the server runs only while the tests do");
      return first;
    },
  };
}
