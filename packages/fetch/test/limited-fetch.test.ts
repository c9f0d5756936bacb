import { ioredisStore } from "@sluice/ioredis";
import { startRedis } from "@sluice/redis-server";
import {
  InvalidPolicyError,
  memoryStore,
  NeverAllowedError,
  type Store,
  tokenBucket,
  WaitTimeoutError,
} from "@sluice/token-bucket";
import { Redis } from "ioredis";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { limitedFetch } from "../src/index.js";
import { bodyOf, otherSide, refusingOnce } from "./other-side.js";

const redis = await startRedis();
const clients = [new Redis(redis.url), new Redis(redis.url)];
beforeEach(async () => {
  await redis.command("FLUSHALL");
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await redis.stop();
});

/** Ten at once, then ten a second. */
function bucket(store: Store = memoryStore(), capacity = 10) {
  const refill = { tokens: 10, every: "1s" };
  return tokenBucket({ name: "api", capacity, refill, blockFor: "by-hand", store });
}

/** Two stores, as two processes have them; in memory there is only one to share. */
function twoStores(kind: string): Store[] {
  const shared = memoryStore();
  return clients.map((client) => (kind === "memory" ? shared : ioredisStore(client)));
}

describe.each(["memory", "Redis"])("a limited fetch on %s", (kind) => {
  it("waits its turn", async () => {
    const { url, reachedMs } = await otherSide((_before, _request, response) => response.end("hello"));
    const [store] = twoStores(kind);
    const polite = limitedFetch(bucket(store, 1), { key: "a" });
    const startMs = performance.now();
    const responses = await Promise.all([1, 2, 3, 4].map(() => polite(url)));
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual(Array(4).fill("hello"));
    expect((reachedMs.at(-1) ?? 0) - startMs).toBeGreaterThan(250);
  });

  it.each([
    ["Retry-After in seconds", { "retry-after": "100" }],
    [
      "Retry-After as a date",
      { "retry-after": "Sun, 06 Nov 1994 08:51:17 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT" },
    ],
    ["RateLimit", { ratelimit: '"burst";r=0;t=100' }],
    ["RateLimit-Reset", { "ratelimit-reset": "100" }],
    ["X-RateLimit-Reset", { "x-ratelimit-reset": "100" }],
  ])("holds its key for another process too, by %s", async (_what, headers) => {
    const { url, host, reachedMs } = await refusingOnce(headers);
    const [own, others] = twoStores(kind).map((store) => bucket(store));
    if (own === undefined || others === undefined) throw new Error("two were made");
    const response = await limitedFetch(own, { key: (url) => url.host })(url);
    expect(response.status).toBe(429);
    expect(await response.text()).toBe("answer 0");
    const held = await others.peek(host);
    expect(held.reason).toBe("blocked");
    expect(held.retryAfterMs).toBeGreaterThan(90_000);
    expect(held.retryAfterMs).toBeLessThanOrEqual(100_000);
    const waiting = limitedFetch(others, { key: (url) => url.host, maxWaitMs: 5_000 })(url);
    await expect(waiting).rejects.toThrow(WaitTimeoutError);
    expect(reachedMs).toHaveLength(1);
    expect(await others.peek("another")).toMatchObject({ allowed: true });
  });

  it("goes on once the hold is over", async () => {
    const { url, reachedMs } = await refusingOnce({ "retry-after": "1" }, 503);
    const [own, others] = twoStores(kind).map((store) => limitedFetch(bucket(store), { key: "a" }));
    expect((await own?.(url))?.status).toBe(503);
    expect((await others?.(url))?.status).toBe(200);
    const [first = 0, second = 0] = reachedMs;
    expect(second - first).toBeGreaterThan(900);
  });

  it("never shortens a hold: of several that are refused the longest counts", async () => {
    const { url } = await otherSide((before, _request, response) => {
      const seconds = before === 0 ? "100" : "5";
      setTimeout(() => response.writeHead(429, { "retry-after": seconds }).end(), before * 100);
    });
    const [store] = twoStores(kind);
    const limiter = bucket(store);
    const polite = limitedFetch(limiter, { key: "a" });
    await Promise.all([polite(url), polite(url), polite(url)]);
    expect((await limiter.peek("a")).retryAfterMs).toBeGreaterThan(90_000);
  });
});

describe("a limited fetch", () => {
  it("holds nothing for what a response of 200 says, or one that makes no sense", async () => {
    const limiter = bucket();
    const polite = limitedFetch(limiter, { key: "a" });
    await polite((await refusingOnce({ "retry-after": "100" }, 200)).url);
    await polite((await refusingOnce({ "retry-after": "soon" })).url);
    await polite((await refusingOnce({})).url);
    expect(await limiter.peek("a")).toMatchObject({ allowed: true });
  });

  it("holds for no longer than maxHoldMs", async () => {
    const { url } = await refusingOnce({ "retry-after": "99999999999999999999" });
    const [day, minute] = [bucket(), bucket()];
    await limitedFetch(day, { key: "a" })(url);
    expect((await day.peek("a")).retryAfterMs).toBeGreaterThan(86_000_000);
    const { url: again } = await refusingOnce({ "retry-after": "100000" });
    await limitedFetch(minute, { key: "a", maxHoldMs: 60_000 })(again);
    expect((await minute.peek("a")).retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it("returns the response though the store has failed", async () => {
    const client = new Redis(redis.url);
    const limiter = bucket(ioredisStore(client, { timeoutMs: 200 }));
    const { url } = await otherSide((_before, _request, response) => {
      client.disconnect();
      response.writeHead(429, { "retry-after": "100" }).end("busy");
    });
    const response = await limitedFetch(limiter, { key: "a" })(url);
    expect(await response.text()).toBe("busy");
  });

  it("takes what key and cost say of the address and the options", async () => {
    const { url, host } = await otherSide((_before, _request, response) => response.end());
    const limiter = bucket();
    const polite = limitedFetch(limiter, {
      key: (address) => ["host", address.host],
      cost: (_address, init) => (init?.method === "POST" ? 4 : 1),
    });
    await polite(new URL(url), { method: "POST" });
    await polite(new Request(url));
    expect(await limiter.peek(["host", host])).toMatchObject({ remaining: 5 });
    await expect(limitedFetch(limiter, { key: "a", cost: 11 })(url)).rejects.toThrow(NeverAllowedError);
    const modest = limitedFetch(limiter, { key: "a", cost: 9, reserve: 2 });
    await expect(modest(url)).rejects.toThrow(NeverAllowedError);
  });

  it("keeps the unit of a request that failed, unless refundOn says otherwise", async () => {
    const limiter = bucket(memoryStore(), 2);
    const gone = "http://127.0.0.1:1/";
    await expect(limitedFetch(limiter, { key: "a" })(gone)).rejects.toThrow(TypeError);
    const forgiving = limitedFetch(limiter, { key: "b", refundOn: (_outcome, hasThrown) => hasThrown });
    await expect(forgiving(gone)).rejects.toThrow(TypeError);
    expect((await limiter.peek("a")).remaining).toBe(1);
    expect((await limiter.peek("b")).remaining).toBe(2);
    const { url } = await refusingOnce({});
    const refused = (outcome: unknown): boolean => outcome instanceof Response && outcome.status === 429;
    await limitedFetch(limiter, { key: "c", refundOn: refused })(url);
    expect((await limiter.peek("c")).remaining).toBe(2);
  });
});

describe("what a limited fetch is given passes through", () => {
  it("as it is: the very arguments and the very response", async () => {
    const response = new Response("as it is");
    const send = vi.fn(async () => response);
    const polite = limitedFetch(bucket(), { key: "a", fetch: send });
    const request = new Request("http://example.org/", { method: "POST", body: "once" });
    const init = { headers: { a: "b" } };
    expect(await polite(request, init)).toBe(response);
    expect(send.mock.calls).toEqual([[request, init]]);
    expect(request.bodyUsed).toBe(false);
    expect(response.bodyUsed).toBe(false);
  });

  it("in both directions, bodies and streams", async () => {
    const { url } = await otherSide(async (_before, request, response) => {
      response.write(`got ${await bodyOf(request)}`);
      setTimeout(() => response.end(", and more"), 20);
    });
    const polite = limitedFetch(bucket(), { key: "a" });
    const stream = new Blob(["a ", "stream"]).stream();
    const init: RequestInit & { duplex: "half" } = { method: "POST", body: stream, duplex: "half" };
    expect(await (await polite(url, init)).text()).toBe("got a stream, and more");
    const request = new Request(url, { method: "POST", body: "a request" });
    const response = await polite(request);
    let text = "";
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
    expect(text).toBe("got a request, and more");
  });
});

describe("a signal ends the wait with its own reason, and nothing is sent", () => {
  const never = vi.fn(async () => new Response());

  /** Sends while the key is held, and leaves after a moment. */
  async function leave(send: (polite: typeof fetch, signal: AbortSignal) => Promise<unknown>) {
    const limiter = bucket();
    await limiter.block("a", "1h");
    const controller = new AbortController();
    const sent = send(limitedFetch(limiter, { key: "a", fetch: never }), controller.signal);
    setTimeout(() => controller.abort("left"), 10);
    await expect(sent).rejects.toBe("left");
    expect(never).not.toHaveBeenCalled();
  }

  it("that of the options", () => leave((polite, signal) => polite("http://a/", { signal })));
  it("that of a request", () => leave((polite, signal) => polite(new Request("http://a/", { signal }))));
  it("that of the options before that of a request", () =>
    leave((polite, signal) => {
      const request = new Request("http://a/", { signal: AbortSignal.abort("not this one") });
      return polite(request, { signal });
    }));

  it("also when it was aborted before", async () => {
    const polite = limitedFetch(bucket(), { key: "a", fetch: never });
    await expect(polite("http://a/", { signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
  });
});

describe("a limited fetch is refused when it is made", () => {
  it("over a limiter that cannot be blocked, or none", () => {
    const plain = tokenBucket({ name: "api", capacity: 1, refill: { tokens: 1, every: "1s" } });
    expect(() => limitedFetch(plain, { key: "a" })).toThrow(InvalidPolicyError);
    expect(() => limitedFetch(plain, { key: "a" })).toThrow("needs the option blockFor");
    // @ts-expect-error a caller without types
    expect(() => limitedFetch({}, { key: "a" })).toThrow(InvalidPolicyError);
  });

  it.each([
    {},
    { key: "a", keys: "b" },
    { key: "a", maxWaitMs: -1 },
    { key: "a", maxHoldMs: "1d" },
    undefined,
  ])("with %j", (options) => {
    // @ts-expect-error a caller without types
    expect(() => limitedFetch(bucket(), options)).toThrow(InvalidPolicyError);
  });
});
