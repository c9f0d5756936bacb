import { describe, expect, it } from "vitest";
import { httpDateMs } from "../src/http-date.js";

const MS = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("a date in a header", () => {
  it.each(["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])(
    "is read in each form of RFC 9110: %s",
    (field) => {
      expect(httpDateMs(field)).toBe(MS);
      expect(httpDateMs(` ${field} `)).toBe(MS);
    },
  );

  it.each([
    null,
    "",
    "5",
    "tomorrow 5",
    "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nix 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 99:99:99 GMT",
  ])("is none: %s", (field) => {
    expect(httpDateMs(field)).toBeUndefined();
  });
});
