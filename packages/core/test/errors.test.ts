import { describe, expect, it, vi } from "vitest";
import {
  InvalidCostError,
  InvalidKeyError,
  InvalidPolicyError,
  SluiceError,
  StoreError,
  type StoreErrorOptions,
  StoreTimeoutError,
} from "../src/errors.js";

const asStoreError = (options?: ErrorOptions): StoreErrorOptions => ({ ...options, mayHaveCounted: true });

const errors = [
  {
    name: "InvalidPolicyError",
    code: "ERR_SLUICE_INVALID_POLICY",
    Class: InvalidPolicyError,
    make: (options?: ErrorOptions) => new InvalidPolicyError("what is wrong", options),
  },
  {
    name: "InvalidKeyError",
    code: "ERR_SLUICE_INVALID_KEY",
    Class: InvalidKeyError,
    make: (options?: ErrorOptions) => new InvalidKeyError("what is wrong", options),
  },
  {
    name: "InvalidCostError",
    code: "ERR_SLUICE_INVALID_COST",
    Class: InvalidCostError,
    make: (options?: ErrorOptions) => new InvalidCostError("what is wrong", options),
  },
  {
    name: "StoreError",
    code: "ERR_SLUICE_STORE",
    Class: StoreError,
    make: (options?: ErrorOptions) => new StoreError("what is wrong", asStoreError(options)),
  },
  {
    name: "StoreTimeoutError",
    code: "ERR_SLUICE_STORE_TIMEOUT",
    Class: StoreTimeoutError,
    make: (options?: ErrorOptions) => new StoreTimeoutError("what is wrong", asStoreError(options)),
  },
];

describe.each(errors)("$name", ({ name, code, Class, make }) => {
  it(`has the code ${code}, its name and its message`, () => {
    expect(make()).toMatchObject({ name, code, message: "what is wrong" });
  });

  it("is a SluiceError and an Error", () => {
    expect(make()).toBeInstanceOf(Class);
    expect(make()).toBeInstanceOf(SluiceError);
    expect(make()).toBeInstanceOf(Error);
  });

  it("has a cause where there is one, and none otherwise", () => {
    const cause = new Error("why");
    expect(make({ cause }).cause).toBe(cause);
    expect(make()).not.toHaveProperty("cause");
  });
});

describe("a StoreError", () => {
  it.each([true, false])("says whether the call may have counted: %s", (mayHaveCounted) => {
    expect(new StoreError("lost", { mayHaveCounted }).mayHaveCounted).toBe(mayHaveCounted);
    expect(new StoreTimeoutError("late", { mayHaveCounted }).mayHaveCounted).toBe(mayHaveCounted);
  });

  it("is what a StoreTimeoutError is too", () => {
    expect(new StoreTimeoutError("late", { mayHaveCounted: true })).toBeInstanceOf(StoreError);
  });
});

it("is told apart by its code where two copies of the package are loaded", async () => {
  vi.resetModules();
  const copy = await import("../src/errors.js");
  const error = new copy.InvalidKeyError("of the other copy");
  expect(error).not.toBeInstanceOf(InvalidKeyError);
  expect(error.code).toBe(new InvalidKeyError("of this copy").code);
});
