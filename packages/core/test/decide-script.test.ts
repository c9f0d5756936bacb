import { describe, expect, it } from "vitest";
import { compose } from "../src/compose.js";
import { decideScript } from "../src/decide-script.js";
import { defineAlgorithm } from "../src/define-algorithm.js";
import { redisStore } from "../src/redis-store.js";
import { faultyConnection } from "./faulty-connection.js";
import { useRedis } from "./redis.js";
import { tally, tallyAlgorithm } from "./tiny-algorithm.js";

const { connection } = await useRedis();
const other = { ...tallyAlgorithm, tag: "oth" };
const otherTally = defineAlgorithm(other);
/** The same algorithm once more, as when two copies of its package are loaded. */
const copy = { ...tallyAlgorithm };
const copiedTally = defineAlgorithm(copy);

describe("the script that decides on several limits", () => {
  it("is made once for a set of algorithms, in whatever order and number they come", () => {
    const made = decideScript([tallyAlgorithm, other]);
    expect(decideScript([other, tallyAlgorithm, other, other])).toBe(made);
    expect(decideScript([tallyAlgorithm]).script.sha1).not.toBe(made.script.sha1);
  });

  it("holds each of the algorithms once", () => {
    expect(decideScript([other, tallyAlgorithm, other]).kernels).toEqual([other, tallyAlgorithm]);
  });

  it("has the same text for another copy of an algorithm, and that copy's kernel", () => {
    const [own, copied] = [decideScript([tallyAlgorithm]), decideScript([copy])];
    expect(copied.script.sha1).toBe(own.script.sha1);
    expect(own.kernels[0]).toBe(tallyAlgorithm);
    expect(copied.kernels[0]).toBe(copy);
  });

  it("does not depend on names, numbers, keys or how many limits there are", async () => {
    const wire = faultyConnection(connection);
    const store = redisStore(wire);
    const few = [tally({ name: "a", limit: 1, window: "1s", store })];
    const many = Array.from({ length: 9 }, (_, i) =>
      tally({ name: `b${i}`, limit: 9 + i, window: "1d", store }),
    );
    await compose(few).consume("u1", { cost: 0 });
    await compose(many).consume("u2", { cost: 3, reserve: 1 });
    // the first call brings the text along, the second finds it there
    expect(wire.sent).toEqual(["EVALSHA", "EVAL", "EVALSHA"]);
  });

  it("decides on limits of two copies of one algorithm", async () => {
    const store = redisStore(connection);
    const limits = compose([
      tally({ name: "own", limit: 2, window: "1m", store }),
      otherTally({ name: "other", limit: 3, window: "1m", store }),
      copiedTally({ name: "copy", limit: 4, window: "1m", store }),
    ]);
    const { limits: told } = await limits.consume("a");
    expect([told.own.remaining, told.other.remaining, told.copy.remaining]).toEqual([1, 2, 3]);
  });
});
