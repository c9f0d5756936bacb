import { expect, it } from "vitest";
import { forwardedFor } from "../src/forwarded-for.js";

it.each([
  ["for=192.0.2.1", "192.0.2.1"],
  ["For=192.0.2.1;proto=http;by=203.0.113.43", "192.0.2.1"],
  ['proto=http; for="[2001:db8::1]:4711" ; by=_a', "[2001:db8::1]:4711"],
  ['for="\\1\\92.0.2.1"', "192.0.2.1"],
  ["for=unknown", "unknown"],
  [";for=192.0.2.1;; ", "192.0.2.1"],
])("%s was sent for %s", (element, node) => {
  expect(forwardedFor(element)).toBe(node);
});

it.each([
  ['host="a;for=192.0.2.9;b";for=192.0.2.1', "192.0.2.1"],
  ['host="a\\";for=192.0.2.9;";for=192.0.2.1', "192.0.2.1"],
])("what another pair quotes is no pair: %s", (element, node) => {
  expect(forwardedFor(element)).toBe(node);
});

it.each(["", "proto=http", "192.0.2.1", "for=192.0.2.1;for=192.0.2.2", 'for="192.0.2.1', "for"])(
  "nobody is told by %j",
  (element) => {
    expect(forwardedFor(element)).toBe("");
  },
);
