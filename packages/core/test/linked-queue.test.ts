import { expect, it } from "vitest";
import { type Linked, LinkedQueue } from "../src/linked-queue.js";

interface Item extends Linked<Item> {
  readonly name: string;
}

const named = (name: string): Item => ({ name, isQueued: false, before: undefined, after: undefined });

function namesIn(queue: LinkedQueue<Item>): string {
  let names = "";
  for (let item = queue.first; item !== undefined; item = item.after) names += item.name;
  return names;
}

it.each([
  ["a", "bc"],
  ["b", "ac"],
  ["c", "ab"],
  ["ab", "c"],
  ["ca", "b"],
  ["abc", ""],
  ["cba", ""],
])("a queue from which %s left holds the others in order, and takes more", (leaving, left) => {
  const queue = new LinkedQueue<Item>();
  const items = ["a", "b", "c"].map(named);
  for (const item of items) queue.add(item);
  expect(namesIn(queue)).toBe("abc");
  for (const item of items.filter(({ name }) => leaving.includes(name))) {
    expect(queue.remove(item)).toBe(true);
    expect(queue.remove(item)).toBe(false);
    expect(item).toEqual(named(item.name));
  }
  expect(namesIn(queue)).toBe(left);
  queue.add(named("d"));
  expect(namesIn(queue)).toBe(`${left}d`);
});
