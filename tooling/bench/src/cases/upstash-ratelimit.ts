import { Ratelimit } from "@upstash/ratelimit";
import { Redis as UpstashRedis } from "@upstash/redis";
import type { Redis } from "ioredis";
import { type Case, inTurn } from "../case.ts";

type Requester = ConstructorParameters<typeof UpstashRedis>[0] & { request: unknown };
type Algorithm = ReturnType<typeof Ratelimit.fixedWindow>;

const AMPLE = 10_000_000;

/**
 * Sends over ioredis what that client would send by HTTP. Its scripts begin with a `#!lua` line for flags that only
 * its own server knows: without that line they run on any, under another SHA-1.
 */
function overIoredis(client: Redis): UpstashRedis {
  const shaOf = new Map<string, string>();
  let missing = "";
  const send = async ([command, script, ...args]: string[]): Promise<unknown> => {
    if (String(command).toLowerCase() === "evalsha") {
      const sha = shaOf.get(String(script));
      if (sha !== undefined) return client.call("EVALSHA", sha, ...args);
      missing = String(script);
      throw new Error("NOSCRIPT No matching script");
    }
    const text = String(script).replace(/^#!lua.*\n/, "");
    shaOf.set(missing, String(await client.script("LOAD", text)));
    return client.call("EVAL", text, ...args);
  };
  const requester: Requester = {
    async request<Result>({ body }: { body?: unknown }) {
      const reply = await send(Array.isArray(body) ? body.map(String) : []);
      // an answer as HTTP would bring it
      const answer: { result: Result } = JSON.parse(JSON.stringify({ result: reply }));
      return answer;
    },
  };
  return new UpstashRedis(requester);
}

function caseOf(name: string, limiter: Algorithm): Case {
  return {
    name: `@upstash/ratelimit ${name}, allowed`,
    measures: ["instructions", "bytes"],
    async prepare({ client, keys }) {
      const redis = overIoredis(client);
      const ratelimit = new Ratelimit({ redis, limiter, prefix: "b", ephemeralCache: false, timeout: 0 });
      const nextKey = inTurn(keys);
      await Promise.all(keys.map((key) => ratelimit.limit(key)));
      return () => ratelimit.limit(nextKey());
    },
  };
}

export const upstashRatelimitCases: readonly Case[] = [
  caseOf("fixedWindow", Ratelimit.fixedWindow(AMPLE, "1 d")),
  caseOf("slidingWindow", Ratelimit.slidingWindow(AMPLE, "1 d")),
  caseOf("tokenBucket", Ratelimit.tokenBucket(100, "1 s", AMPLE)),
];
