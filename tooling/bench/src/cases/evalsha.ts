import type { Case, ClientName } from "../case.ts";

/** The floor: the least that a call of any script costs. Everything else is reported as a multiple of it. */
export const bareEvalsha: Readonly<Record<ClientName, Case>> = {
  ioredis: {
    name: "EVALSHA of return 1",
    measures: ["throughput", "instructions"],
    async prepare({ client }) {
      const sha = String(await client.script("LOAD", "return 1"));
      return () => client.evalsha(sha, 0);
    },
  },
  "node-redis": {
    name: "EVALSHA of return 1",
    by: "node-redis",
    measures: ["throughput"],
    async prepare({ nodeRedis }) {
      const sha = await nodeRedis.scriptLoad("return 1");
      return () => nodeRedis.evalSha(sha);
    },
  },
};
