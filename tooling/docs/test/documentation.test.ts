import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "@sluice/packaging/build";
import { type RedisServer, startRedis } from "@sluice/redis-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";
import { codeBlocks } from "../src/code-blocks.ts";
import { markdownFiles } from "../src/markdown-files.ts";
import { runBlock } from "../src/run-block.ts";
import { typeCheck } from "../src/type-check.ts";

const blocks = markdownFiles().flatMap((file) => codeBlocks(file, readFileSync(join(ROOT, file), "utf8")));

describe("type-checks", () => {
  let errors: Map<string, string[]>;

  beforeAll(() => {
    errors = typeCheck(blocks);
  });

  it.each(blocks)("$name", ({ name }) => {
    expect(errors.get(name)).toEqual([]);
  });
});

describe("runs", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    // A database a block, so that none finds what another one left.
    const databases = ["--databases", String(blocks.length + 1)];
    [redis] = await Promise.all([startRedis({ args: databases }), build()]);
  }, 180_000);

  afterAll(async () => {
    await redis?.stop();
  });

  for (const [index, block] of blocks.entries()) {
    const reason = block.noRun === undefined ? "" : ` (${block.noRun})`;
    it.skipIf(block.noRun !== undefined).concurrent(`${block.name}${reason}`, async () => {
      await runBlock(block, `${redis.url}/${index}`);
    });
  }
});
