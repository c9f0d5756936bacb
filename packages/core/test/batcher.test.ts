import { describe, expect, it } from "vitest";
import { Batcher, type Pending } from "../src/batcher.js";
import type { Outcome, Question } from "../src/store.js";
import { limitOf } from "./limit-of.js";

const limit = limitOf("api");
const ask = { commit: true, cost: 1, least: 1, reserve: 0 };
const question = (key: string): Question => ({ limit, key, ask });
const outcome: Outcome = { taken: 1, nowMs: 1_000, facts: [1, 1_000] };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A batcher and what it has sent: the keys of each batch, and its clock. */
function setUp(maxSize = 64, answer = ({ resolve }: Pending): void => resolve(outcome)) {
  const sent: { keys: string[]; clockMs: number }[] = [];
  const batcher = new Batcher(maxSize, (batch, clockMs) => {
    sent.push({ keys: batch.map(({ question: { key } }) => key), clockMs });
    for (const pending of batch) answer(pending);
  });
  return { batcher, sent };
}

describe("questions", () => {
  it("of one turn of the event loop go together, in the order in which they were asked", async () => {
    const { batcher, sent } = setUp();
    await Promise.all(["a", "b", "a", "c"].map((key) => batcher.ask(question(key), -1)));
    expect(sent).toEqual([{ keys: ["a", "b", "a", "c"], clockMs: -1 }]);
  });

  it("that a turn's promises bring are of that turn", async () => {
    const { batcher, sent } = setUp();
    const first = batcher.ask(question("a"), -1);
    const others = ["b", "c"].map(async (key) => {
      for (let i = 0; i < 10; i++) await undefined;
      return batcher.ask(question(key), -1);
    });
    await Promise.all([first, ...others]);
    expect(sent).toEqual([{ keys: ["a", "b", "c"], clockMs: -1 }]);
  });

  it("of another turn go by themselves", async () => {
    const { batcher, sent } = setUp();
    await batcher.ask(question("a"), -1);
    await nextTurn();
    await batcher.ask(question("b"), -1);
    expect(sent.map(({ keys }) => keys)).toEqual([["a"], ["b"]]);
  });

  it("that are sent call for more: these go in a turn of their own", async () => {
    const { batcher, sent } = setUp();
    const askTwice = (key: string) =>
      batcher.ask(question(key), -1).then(() => batcher.ask(question(key), -1));
    await Promise.all([askTwice("a"), askTwice("b")]);
    expect(sent.map(({ keys }) => keys)).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("wait for nobody once they are as many as may go together", () => {
    const { batcher, sent } = setUp(2);
    const asked = ["a", "b", "c"].map((key) => batcher.ask(question(key), -1));
    expect(sent.map(({ keys }) => keys)).toEqual([["a", "b"]]);
    return Promise.all(asked).then(() => {
      expect(sent.map(({ keys }) => keys)).toEqual([["a", "b"], ["c"]]);
    });
  });

  it("are sent once where they were as many, and nothing is left of the turn", async () => {
    const { batcher, sent } = setUp(2);
    await Promise.all(["a", "b", "c", "d"].map((key) => batcher.ask(question(key), -1)));
    await nextTurn();
    expect(sent.map(({ keys }) => keys)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("go at once, each alone, where one is as many as may go together", () => {
    const { batcher, sent } = setUp(1);
    for (const key of ["a", "b"]) void batcher.ask(question(key), -1);
    expect(sent.map(({ keys }) => keys)).toEqual([["a"], ["b"]]);
  });

  it("of different times do not go together, though they are of one turn, and keep their order", async () => {
    const { batcher, sent } = setUp();
    await Promise.all([5, 5, 7, 5].map((clockMs, i) => batcher.ask(question(String(i)), clockMs)));
    expect(sent).toEqual([
      { keys: ["0", "1"], clockMs: 5 },
      { keys: ["2"], clockMs: 7 },
      { keys: ["3"], clockMs: 5 },
    ]);
  });

  it("are answered each by its own answer", async () => {
    const { batcher } = setUp(64, ({ question: { key }, resolve, reject }) => {
      if (key === "b") reject(new Error("only b"));
      else resolve({ ...outcome, facts: [Number(key), 1_000] });
    });
    const settled = await Promise.allSettled(["1", "b", "3"].map((key) => batcher.ask(question(key), -1)));
    expect(settled).toEqual([
      { status: "fulfilled", value: { ...outcome, facts: [1, 1_000] } },
      { status: "rejected", reason: new Error("only b") },
      { status: "fulfilled", value: { ...outcome, facts: [3, 1_000] } },
    ]);
  });
});
