import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionGate } from "../src/connection-gate.js";
import type { Deadline } from "../src/deadline.js";
import { NotSentError, WithdrawnError } from "../src/not-sent-error.js";
import type { RedisReadiness } from "../src/redis-connection.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setUp(first: RedisReadiness) {
  const client = { is: first };
  const connect = vi.fn();
  const gate = new ConnectionGate({ readiness: () => client.is, connect });
  return { client, connect, gate };
}

const deadline = (): Deadline => ({ isPast: false, onPast: undefined, hasBegun: false });

describe("the gate before a connection", () => {
  it("is open where the client is ready, or does not say", () => {
    expect(setUp("ready").gate.pass(deadline())).toBeUndefined();
    expect(new ConnectionGate({}).pass(deadline())).toBeUndefined();
  });

  it("holds calls until the client is ready, and lets them go in the order in which they came", async () => {
    const { client, gate } = setUp("connecting");
    const order: string[] = [];
    const calls = ["a", "b", "c"].map((call) => gate.pass(deadline())?.then(() => order.push(call)));
    await vi.advanceTimersByTimeAsync(500);
    expect(order).toEqual([]);
    client.is = "ready";
    await vi.advanceTimersByTimeAsync(5);
    await Promise.all(calls);
    expect(order).toEqual(["a", "b", "c"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is empty while none is held", async () => {
    const { client, gate } = setUp("connecting");
    expect(gate.isEmpty).toBe(true);
    const held = gate.pass(deadline());
    expect(gate.isEmpty).toBe(false);
    client.is = "ready";
    await vi.advanceTimersByTimeAsync(5);
    await held;
    expect(gate.isEmpty).toBe(true);
  });

  it("forgets a call whose time is up", async () => {
    const { client, gate } = setUp("connecting");
    const released = vi.fn();
    const late = deadline();
    gate.pass(late)?.then(released);
    late.onPast?.();
    client.is = "ready";
    await vi.advanceTimersByTimeAsync(10);
    expect(released).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses at once where the client is closed, also those that it holds", async () => {
    const { client, gate } = setUp("connecting");
    const held = gate.pass(deadline());
    const refused = expect(held).rejects.toThrow("the client is closed: nothing was sent");
    client.is = "closed";
    await vi.advanceTimersByTimeAsync(5);
    await refused;
    expect(() => gate.pass(deadline())).toThrow(NotSentError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("connects a client that nobody has connected, and again where that failed, but not all the time", async () => {
    const { connect, gate } = setUp("idle");
    gate.pass(deadline());
    gate.pass(deadline());
    await vi.advanceTimersByTimeAsync(200);
    expect(connect).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(400);
    expect(connect).toHaveBeenCalledTimes(3);
  });

  it("lets go at once of who has left, and leaves no listener behind", async () => {
    const { client, gate } = setUp("connecting");
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const staying = gate.pass(deadline(), controller.signal);
    client.is = "ready";
    await vi.advanceTimersByTimeAsync(5);
    await staying;
    expect(removed).toHaveBeenCalledOnce();
    client.is = "connecting";
    const leaving = gate.pass(deadline(), controller.signal);
    controller.abort();
    await expect(leaving).rejects.toThrow(WithdrawnError);
    expect(vi.getTimerCount()).toBe(0);
    expect(() => gate.pass(deadline(), controller.signal)).toThrow(WithdrawnError);
  });

  it("holds 10,000 calls at most", () => {
    const { gate } = setUp("connecting");
    for (let i = 0; i < 10_000; i++) gate.pass(deadline());
    expect(() => gate.pass(deadline())).toThrow(
      "10000 calls already wait for a connection to Redis: nothing was sent",
    );
  });
});
