import type { RedisServer } from "@sluice/redis-server";

/** What nodes of a cluster have done so far: scripts that they ran, and callers that they sent elsewhere. */
export interface NodeStats {
  scripts: number;
  redirections: number;
}

export async function readNodeStats(node: RedisServer): Promise<NodeStats> {
  const [commands, errors] = await Promise.all([
    node.command("INFO", "commandstats"),
    node.command("INFO", "errorstats"),
  ]);
  return {
    scripts: countOf(String(commands), /^cmdstat_eval(?:sha)?:calls=(\d+)/gm),
    redirections: countOf(String(errors), /^errorstat_(?:MOVED|ASK):count=(\d+)/gm),
  };
}

/** The sum of what such lines say. */
function countOf(info: string, line: RegExp): number {
  return [...info.matchAll(line)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
