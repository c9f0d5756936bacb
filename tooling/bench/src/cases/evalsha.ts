import type { Case } from "../case.ts";

/** The floor: the least that a call of any script costs. Everything else is reported as a multiple of it. */
export const bareEvalsha: Case = {
  name: "EVALSHA of return 1",
  measures: ["throughput", "instructions"],
  async prepare({ client }) {
    const sha = String(await client.script("LOAD", "return 1"));
    return () => client.evalsha(sha, 0);
  },
};
