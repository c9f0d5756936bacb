import { once } from "node:events";
import { connect, type Http2Server } from "node:http2";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type RateLimitOptions, rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance, type FastifyReply, type RouteGenericInterface } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

/** Options of a limit that gives back below 400, and the statuses of which it has heard. */
function listening(): { options: RateLimitOptions; told: number[]; left: () => Promise<number> } {
  const told: number[] = [];
  const limiter = bucket("api", 5);
  const refundWhen = (status: number): boolean => {
    told.push(status);
    return status < 400;
  };
  const left = async (): Promise<number> => (await limiter.peek("a")).remaining;
  return { options: { limiter, key: "a", refundWhen }, told, left };
}

async function listeningApp(): Promise<ReturnType<typeof listening> & { app: FastifyInstance }> {
  const limit = listening();
  const app = fastify({ forceCloseConnections: true });
  await app.register(rateLimit, limit.options);
  return { app, ...limit };
}

const failing = (): Readable =>
  new Readable({
    read() {
      this.destroy(new Error("broken"));
    },
  });

describe("refundWhen is told the status that is sent", () => {
  it("where a stream fails before its first byte", async () => {
    const { app, told, left } = await listeningApp();
    app.get("/", async () => failing());
    expect((await app.inject("/")).statusCode).toBe(500);
    expect([told, await left()]).toEqual([[500], 4]);
  });

  it("where onSend of a route throws", async () => {
    const { app, told, left } = await listeningApp();
    const onSend = async (): Promise<never> => {
      throw new Error("broken");
    };
    app.get("/", { onSend }, async () => "hello");
    expect((await app.inject("/")).statusCode).toBe(500);
    expect([told, await left()]).toEqual([[500], 4]);
  });

  it("where onSend of a route sets another", async () => {
    const { app, told, left } = await listeningApp();
    const onSend = async (_request: object, reply: FastifyReply): Promise<void> => void reply.code(403);
    app.get("/", { onSend }, async () => "hello");
    expect((await app.inject("/")).statusCode).toBe(403);
    expect([told, await left()]).toEqual([[403], 4]);
  });

  it("where a handler has hijacked the reply, when it writes the head", async () => {
    const { app, told, left } = await listeningApp();
    app.get("/", (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(202).write("a part");
      expect(told).toEqual([202]);
      reply.raw.end();
    });
    const { statusCode, headers } = await app.inject("/");
    expect([statusCode, headers.ratelimit, await left()]).toEqual([202, '"api";r=4;t=12', 5]);
  });

  it("for each of several limits, each once", async () => {
    const { app, told } = await listeningApp();
    const inner = listening();
    await app.register(rateLimit, inner.options);
    app.get("/", async (_request, reply) => reply.code(201).send("hello"));
    await app.inject("/");
    expect([told, inner.told]).toEqual([[201], [201]]);
  });

  it("before the client can come again", async () => {
    const { app, left } = await listeningApp();
    app.get("/", async () => Readable.from(["hello"]));
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    for (let time = 1; time <= 9; time += 1) {
      expect(await (await fetch(url)).text()).toBe("hello");
      expect(await left()).toBe(5);
    }
    await app.close();
  });
});

describe("refundWhen that throws", () => {
  it("is logged, and changes nothing about the response", async () => {
    const lines: string[] = [];
    const app = fastify({ logger: { level: "error", stream: { write: (line) => void lines.push(line) } } });
    const refundWhen = (): never => {
      throw new Error("broken refund");
    };
    await app.register(rateLimit, { limiter: bucket("api", 5), key: "a", refundWhen });
    app.get("/", async () => Readable.from(["hello"]));
    const { statusCode, body } = await app.inject("/");
    expect([statusCode, body, lines.length]).toEqual([200, "hello", 1]);
    expect(lines[0]).toContain("broken refund");
  });
});

describe("a client that leaves before it is answered", () => {
  it.each(["answers all the same", "does not answer"])(
    "gets nothing back where the handler %s",
    async (what) => {
      const { app, told, left } = await listeningApp();
      let isDone = false;
      app.get("/", async (_request, reply) => {
        await once(reply.raw, "close");
        if (what === "does not answer") reply.hijack();
        await sleep(5);
        isDone = true;
        return "hello";
      });
      const url = await app.listen({ port: 0, host: "127.0.0.1" });
      const leaving = new AbortController();
      const answer = fetch(url, { signal: leaving.signal }).catch(() => "left");
      await expect.poll(left).toBe(4);
      leaving.abort();
      expect(await answer).toBe("left");
      await expect.poll(() => isDone).toBe(true);
      await app.close();
      expect([told, await left()]).toEqual([[], 4]);
    },
  );
});

describe("by HTTP/2", () => {
  it("gives a client that leaves nothing back", async () => {
    const { options, told, left } = listening();
    const app = fastify({ http2: true });
    let isDone = false;
    await app.register(rateLimit, options);
    app.get("/", async (_request, reply) => {
      await once(reply.raw, "close");
      setImmediate(() => {
        isDone = true;
      });
      return "hello";
    });
    const session = connect(await app.listen({ port: 0, host: "127.0.0.1" }));
    const stream = session.request({ ":path": "/" });
    await expect.poll(left).toBe(4);
    stream.close(8);
    await expect.poll(() => isDone).toBe(true);
    session.close();
    await app.close();
    expect([told, await left()]).toEqual([[], 4]);
  });

  type Handle = (reply: FastifyReply<RouteGenericInterface, Http2Server>) => unknown;

  /** Serves one handler, asks for it once, and resolves with the status and the limits of the response. */
  async function ask(options: RateLimitOptions, handle: Handle): Promise<unknown[]> {
    const app = fastify({ http2: true });
    await app.register(rateLimit, options);
    app.get("/", (_request, reply) => void handle(reply));
    const session = connect(await app.listen({ port: 0, host: "127.0.0.1" }));
    const stream = session.request({ ":path": "/" });
    stream.resume();
    const [[headers]] = await Promise.all([once(stream, "response"), once(stream, "end")]);
    session.close();
    await app.close();
    return [headers[":status"], headers.ratelimit];
  }

  it.each<[string, number, Handle]>([
    ["a text", 200, (reply) => reply.send("hello")],
    ["an empty stream", 200, (reply) => reply.send(Readable.from([]))],
    ["a stream that fails", 500, (reply) => reply.send(failing())],
    ["a web response", 201, (reply) => reply.send(new Response("hello", { status: 201 }))],
    ["a hijacked reply", 202, (reply) => void reply.hijack().raw.writeHead(202).end("hello")],
    ["a hijacked reply with no body", 200, (reply) => void reply.hijack().raw.end()],
  ])("%s is told and has the headers as well", async (_, status, handle) => {
    const { options, told } = listening();
    expect(await ask(options, handle)).toEqual([status, '"api";r=4;t=12']);
    expect(told).toEqual([status]);
  });
});
