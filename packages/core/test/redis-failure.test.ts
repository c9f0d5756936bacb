import { describe, expect, it } from "vitest";
import { PolicyNotFoundError, StoreError } from "../src/errors.js";
import { membersOf } from "../src/members.js";
import { failure, unreadable, whose } from "../src/redis-failure.js";
import { tally } from "./tiny-algorithm.js";

const limits = ["one", "two"].flatMap((name) => {
  const members = membersOf(tally({ name, limit: 5, window: "1s" })) ?? [];
  return members.map(({ limit }) => limit);
});
const call = { limits, keys: ["k:{a}", "l:{a}"], counts: true };

function failureOf(message: string): Error {
  return failure(call, new Error(message));
}

describe("a failed script call", () => {
  it("is told with the names of its limiters and the client's words", () => {
    const cause = new Error("connect ECONNREFUSED");
    const failed = failure(call, cause);
    expect(failed).toBeInstanceOf(StoreError);
    expect(failed).toMatchObject({ message: 'limiter "one", "two": connect ECONNREFUSED', cause });
    expect(whose(limits.slice(1))).toBe('limiter "two"');
  });

  it("may have counted, unless it counts nothing or the server refused it", () => {
    expect(failureOf("connection lost")).toMatchObject({ mayHaveCounted: true });
    expect(failure({ ...call, counts: false }, new Error("connection lost"))).toMatchObject({
      mayHaveCounted: false,
    });
    expect(failureOf("READONLY You can't write against a read only replica.")).toMatchObject({
      mayHaveCounted: false,
    });
    expect(failure(call, "a text")).toMatchObject({ mayHaveCounted: true });
  });

  it("names the one limit whose key has no policy", () => {
    const failed = failureOf("SLUICENOPOLICY 2 no policy is set for this key");
    expect(failed).toBeInstanceOf(PolicyNotFoundError);
    expect(failed.message).toBe('limiter "two": no policy is set for this key, at "l:{a}"');
  });

  it("names the one limit whose key has a broken policy, and counts nothing", () => {
    const failed = failureOf('SLUICEPOLICY 1 limit must be 5, got "x"');
    expect(failed).toBeInstanceOf(StoreError);
    expect(failed).toMatchObject({
      message: 'limiter "one": limit must be 5, got "x", at "k:{a}"',
      mayHaveCounted: false,
    });
  });

  it.each(["SLUICEPOLICY 3 of no limit here", "SLUICEPOLICY 0 of none", "SLUICENOPOLICY one"])(
    "is told as any other where it names no limit of the call: %s",
    (message) => {
      expect(failureOf(message)).toMatchObject({
        message: `limiter "one", "two": ${message}, at "k:{a}", "l:{a}"`,
      });
    },
  );
});

it("a reply that is none says what came, and for which keys", () => {
  expect(unreadable(call, "OK")).toMatchObject({
    message: expect.stringMatching(/^limiter "one", "two": Redis answered "OK" for key "k:{a}", "l:{a}"/),
    mayHaveCounted: true,
  });
  expect(unreadable(call, Uint8Array.of(104, 105)).message).toContain('2 bytes ("hi")');
});
