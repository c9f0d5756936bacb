import { describe, expect, it } from "vitest";
import { isServerWide, serverCode } from "../src/server-error.js";

const OLD = "ERR Error running script (call to f_6b1bf486c81ceb7edf3c093f4c48582e38c0e791): ";

describe("the code of a server's error", () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", "OOM"],
    ["OOM command not allowed when used memory > 'maxmemory'. script: 1f3a, on @user_script:1.", "OOM"],
    [`${OLD}@user_script:1: -OOM command not allowed when used memory > 'maxmemory'.`, "OOM"],
    [
      `${OLD}@user_script:3: @user_script: 3: -READONLY You can't write against a read only replica.`,
      "READONLY",
    ],
    [`${OLD}@user_script:12: WRONGTYPE Operation against a key holding the wrong kind of value`, "WRONGTYPE"],
    [`${OLD}@user_script:12: attempt to index a nil value`, "ERR"],
    ["ERR READONLY You can't write against a read only replica.", "READONLY"],
    ["ERR CLUSTERDOWN Hash slot not served", "CLUSTERDOWN"],
    ["LOADING Redis is loading the dataset in memory", "LOADING"],
    ["BUSY Redis is busy running a script. You can only call SCRIPT KILL.", "BUSY"],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", "MASTERDOWN"],
    ["NOAUTH Authentication required.", "NOAUTH"],
    ["NOPERM this user has no permissions to run the 'evalsha' command", "NOPERM"],
    [
      "ERR The user executing the script can't run this command or subcommand script: 1f, on @user_script:1.",
      "NOPERM",
    ],
    ["ERR unknown command 'EVALSHA', with args beginning with: ", "ERR"],
    ["ERR max number of clients reached", "ERR"],
  ])("of %j is %s", (message, code) => {
    expect(serverCode(new Error(message))).toBe(code);
  });

  it.each(["connect ECONNREFUSED 127.0.0.1:6379", "Connection is closed.", "", "The client is closed"])(
    "of %j is none: no server said it",
    (message) => {
      expect(serverCode(new Error(message))).toBeUndefined();
    },
  );

  it("of what is no error is none", () => {
    expect(serverCode("OOM or so")).toBeUndefined();
  });
});

describe("an error is about the whole server", () => {
  it.each([
    ["READONLY", "READONLY You can't write against a read only replica."],
    ["NOPERM", "NOPERM this user has no permissions to run the 'evalsha' command"],
    ["NOPERM", "NOPERM User api-keys has no permissions to run the 'evalsha' command"],
    ["ERR", "ERR unknown command 'EVALSHA'"],
    ["ERR", "ERR max number of clients reached"],
  ])("where it is %s: %s", (code, message) => {
    expect(isServerWide(code, message)).toBe(true);
  });

  it.each([
    ["WRONGTYPE", "WRONGTYPE Operation against a key holding the wrong kind of value"],
    ["SLUICESTATE", "SLUICESTATE 1 this key holds no state of this limit"],
    ["SLUICEPOLICY", "SLUICEPOLICY 1 limit must be a whole number"],
    ["NOPERM", "NOPERM No permissions to access a key"],
    [
      "NOPERM",
      "ERR The user executing the script can't access at least one of the keys mentioned in the command",
    ],
    ["MOVED", "MOVED 1 127.0.0.1:7001"],
    ["CROSSSLOT", "CROSSSLOT Keys in request don't hash to the same slot"],
    ["ERR", "ERR user_script:1: attempt to index a nil value"],
  ])("but not where it is %s: %s", (code, message) => {
    expect(isServerWide(code, message)).toBe(false);
  });
});
