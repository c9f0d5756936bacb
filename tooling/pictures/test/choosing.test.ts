import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/root.js";
import { decideTraffic } from "../src/decide.ts";

it("the guide's table below the picture has its numbers", async () => {
  const guide = readFileSync(join(ROOT, "docs/choosing.md"), "utf8").split("\n");
  const lines = (await decideTraffic()).map(({ factory, passed, doneMs, most }) =>
    ["", `\`${factory}\``, ...passed, doneMs.length, most, ""].join(" | ").trim(),
  );
  expect(guide).toEqual(expect.arrayContaining(lines));
});
