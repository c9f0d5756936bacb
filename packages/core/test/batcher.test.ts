import { describe, expect, it } from "vitest";
import { Batcher, type Pending } from "../src/batcher.js";
import type { Outcome, Question } from "../src/store.js";
import { limitOf } from "./limit-of.js";

const limit = limitOf("api");
const ask = { commit: true, cost: 1, least: 1, reserve: 0 };
const question = (key: string): Question => ({ limit, key, ask });
const outcome: Outcome = { taken: 1, nowMs: 1_000, facts: [1, 1_000] };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A batcher and what it has sent: the keys of each batch, and its clock; and of what it sent at once. */
function setUp(maxSize = 64, answer = ({ resolve }: Pending): void => resolve(outcome)) {
  const sent: { keys: string[]; clockMs: number }[] = [];
  const atOnce: { key: string; clockMs: number }[] = [];
  const store = { isIdle: true };
  const batcher = new Batcher({
    maxSize,
    send(batch, clockMs) {
      sent.push({ keys: batch.map(({ question: { key } }) => key), clockMs });
      for (const pending of batch) answer(pending);
    },
    async askAlone({ key }, clockMs) {
      atOnce.push({ key, clockMs });
      return outcome;
    },
    isIdle: () => store.isIdle,
  });
  return { batcher, sent, atOnce, store };
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

describe("questions that come alone, time and again,", () => {
  async function aloneForLong() {
    const set = setUp();
    for (let i = 0; i < 16; i++) await set.batcher.ask(question("a"), -1);
    set.sent.length = 0;
    return set;
  }

  it("wait for company sixteen times, and then go at once", async () => {
    const { batcher, sent, atOnce } = setUp();
    for (let i = 0; i < 16; i++) await batcher.ask(question("a"), -1);
    expect([sent.length, atOnce.length]).toEqual([16, 0]);
    await batcher.ask(question("b"), 5);
    expect(sent).toHaveLength(16);
    expect(atOnce).toEqual([{ key: "b", clockMs: 5 }]);
  });

  it("wait where one is under way: others may come in its turn", async () => {
    const { batcher, sent, atOnce, store } = await aloneForLong();
    void batcher.ask(question("a"), -1);
    store.isIdle = false;
    await Promise.all(["b", "c"].map((key) => batcher.ask(question(key), -1)));
    expect(atOnce.map(({ key }) => key)).toEqual(["a"]);
    expect(sent.map(({ keys }) => keys)).toEqual([["b", "c"]]);
  });

  it("go before none that waits", async () => {
    const { batcher, sent, atOnce, store } = await aloneForLong();
    store.isIdle = false;
    const first = batcher.ask(question("a"), -1);
    store.isIdle = true;
    await Promise.all([first, batcher.ask(question("b"), -1)]);
    expect(atOnce).toEqual([]);
    expect(sent.map(({ keys }) => keys)).toEqual([["a", "b"]]);
  });

  it("wait again once there was company", async () => {
    const { batcher, sent, atOnce, store } = await aloneForLong();
    store.isIdle = false;
    await Promise.all(["a", "b"].map((key) => batcher.ask(question(key), -1)));
    store.isIdle = true;
    await Promise.all(["c", "d"].map((key) => batcher.ask(question(key), -1)));
    expect(atOnce).toEqual([]);
    expect(sent.map(({ keys }) => keys)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });
});
