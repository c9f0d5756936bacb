import { describe, expect, it } from "vitest";
import { stripComments } from "../src/lua-text.ts";
import fixture from "./fixture.lua";

describe("stripComments", () => {
  it("drops full-line comments, indentation and blank lines", () => {
    expect(stripComments("-- head\n\n  local a = 1\n\t-- note\n  return a\n")).toBe("local a = 1\nreturn a");
  });

  it("leaves what follows code on a line", () => {
    expect(stripComments('local a = "--" -- a string\nreturn a  ')).toBe(
      'local a = "--" -- a string\nreturn a  ',
    );
  });

  it("reads both kinds of line end", () => {
    expect(stripComments("a()\r\n-- x\r\nb()\r\n")).toBe("a()\nb()");
  });
});

describe("an imported Lua file", () => {
  it("is its text without comments", () => {
    expect(fixture).toBe("local answer = 42\nreturn answer");
  });
});
