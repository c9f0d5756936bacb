import { describe, expect, it } from "vitest";
import { InvalidPolicyError } from "../src/errors.js";
import { checkKnown } from "../src/known-options.js";

const check = (options: unknown) => () => checkKnown("a store", options, ["prefix", "clock"]);

describe("options", () => {
  it.each([{}, { prefix: "shop" }, { clock: undefined, prefix: null }])("may be %j", (options) => {
    expect(check(options)).not.toThrow();
  });

  it.each([undefined, null, 5, "prefix", true, ["prefix"], () => 1])("are not %o", (options) => {
    expect(check(options)).toThrow(InvalidPolicyError);
    expect(check(options)).toThrow("a store: options must be { prefix, clock }, got");
  });

  it.each([{ prefx: "shop" }, { prefix: "shop", clocks: undefined }, JSON.parse('{ "__proto__": 1 }')])(
    "that nobody knows are refused, whatever they are set to: %j",
    (options) => {
      expect(check(options)).toThrow(InvalidPolicyError);
    },
  );

  it("are refused with a message that says whose they are, what would be right and what it got", () => {
    expect(check({ prefx: "shop" })).toThrow(
      'a store: options must be { prefix, clock }, got the unknown option "prefx"',
    );
    expect(check(null)).toThrow("a store: options must be { prefix, clock }, got null");
  });
});
