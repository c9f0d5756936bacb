import { expect, it } from "vitest";
import { fromTheRight } from "../src/from-the-right.js";

it.each([
  ["a, b,c", ["c", "b", "a"]],
  [" , a,, b ,", ["b", "a"]],
  ["", []],
  ['for="a,b", by="c\\",d"', ['by="c\\",d"', 'for="a,b"']],
])("%j is read as %j", (field, elements) => {
  expect([...fromTheRight(field)]).toEqual(elements);
});

it("a quote that was left open reaches no element to its right", () => {
  const [last, before] = fromTheRight('for="evil, for=192.0.2.1, for=10.0.0.1');
  expect([last, before]).toEqual(["for=10.0.0.1", "for=192.0.2.1"]);
});
