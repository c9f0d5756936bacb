import { InvalidPolicyError } from "@sluice/core";
import { rateLimit } from "@sluice/fastify";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { bucket } from "./bucket.ts";

const complete = { limiter: bucket("api", 1), key: "a" };
const hello = async (): Promise<string> => "hello";

const WRONG: [string, object][] = [
  ["an unknown option", { ...complete, max: 5 }],
  ["an unknown option of no limiter", { max: 5 }],
  ["a limiter that is none", { ...complete, limiter: {} }],
  ["no key", { limiter: complete.limiter }],
  ["an unknown hook", { ...complete, hook: "onSend" }],
  ["a prefix, which would change nothing", { ...complete, prefix: "/v1" }],
  ["onLimited that is no function", { ...complete, onLimited: 5 }],
];

describe("refused are", () => {
  it.each(WRONG)("%s, by the registration", async (_, options) => {
    const app = fastify();
    await expect(async () => await app.register(rateLimit, options)).rejects.toThrow(InvalidPolicyError);
  });

  it.each(WRONG.filter(([name]) => name !== "no key"))("%s, where the route is declared", async (_, own) => {
    const app = fastify();
    await app.register(rateLimit, complete);
    expect(() => app.get("/", { config: { rateLimit: own } }, hello)).toThrow(InvalidPolicyError);
  });

  it.each(WRONG.filter(([name]) => name !== "no key"))("%s, by app.rateLimit", async (_, own) => {
    const app = fastify();
    await app.register(rateLimit, complete);
    expect(() => app.rateLimit(own)).toThrow(InvalidPolicyError);
  });

  it("a hook for what is a hook already", async () => {
    const app = fastify();
    await app.register(rateLimit, complete);
    const options: object = { hook: "onRequest" };
    expect(() => app.rateLimit(options)).toThrow(InvalidPolicyError);
  });

  it.each([true, null, 5, "off", []])("%j for the options of a route", async (own) => {
    const app = fastify();
    await app.register(rateLimit, complete);
    const config: object = { rateLimit: own };
    expect(() => app.get("/", { config }, hello)).toThrow(InvalidPolicyError);
  });

  it("what is not complete, where the registration has no limiter", async () => {
    const app = fastify();
    await app.register(rateLimit);
    expect(() => app.get("/", { config: { rateLimit: { key: "a" } } }, hello)).toThrow(/limiter is missing/);
    expect(() => app.rateLimit()).toThrow(/limiter is missing/);
  });

  it("wrong options of a route that came before the registration, at each request", async () => {
    const app = fastify();
    app.register(rateLimit, complete);
    const config: object = { rateLimit: { max: 5 } };
    app.get("/", { config }, hello);
    expect((await app.inject("/")).statusCode).toBe(500);
    expect((await app.inject("/")).statusCode).toBe(500);
  });
});

describe("what is refused is said", () => {
  const given = async (): Promise<FastifyInstance> => {
    const app = fastify();
    await app.register(rateLimit, complete);
    return app;
  };

  it.each<[unknown, string]>([
    ["x", '"x"'],
    [5, "5"],
    [null, "null"],
    [[], "an array"],
  ])("where app.rateLimit is given %j", async (options, shown) => {
    const app = await given();
    const call = (): unknown => Reflect.apply(app.rateLimit, app, [options]);
    expect(call).toThrow(InvalidPolicyError);
    expect(call).toThrow(/^app\.rateLimit: options must be \{ limiter, key, .+, onLimited \}, got /);
    expect(call).toThrow(`got ${shown}`);
  });

  it("where app.rateLimit is torn off its instance", async () => {
    const { rateLimit: alone } = await given();
    for (const call of [() => alone(), () => Reflect.apply(alone, {}, [])]) {
      expect(call).toThrow(TypeError);
      expect(call).toThrow(/must be called as a method: app\.rateLimit\(\)/);
    }
  });

  it("with all known options for one that is unknown, by a registration, a route and a hook", async () => {
    const app = await given();
    const own: object = { max: 5 };
    const unknown = /, onLimited, hook \}, got the unknown option "max"/;
    await expect(async () => await fastify().register(rateLimit, own)).rejects.toThrow(unknown);
    expect(() => app.get("/", { config: { rateLimit: own } }, hello)).toThrow(unknown);
    expect(() => app.rateLimit(own)).toThrow(/, onLimited \}, got the unknown option "max"/);
  });
});
