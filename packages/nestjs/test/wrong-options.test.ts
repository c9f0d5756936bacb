import { Controller, Get, Module, type Provider, type Type, UseGuards } from "@nestjs/common";
import { APP_GUARD } from "@nestjs/core";
import { InvalidPolicyError } from "@sluice/core";
import {
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
  type RateLimitOptions,
} from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { start } from "./apps.ts";
import { bucket } from "./ask.ts";

@Controller()
class Root {
  @Get()
  root(): string {
    return "root";
  }
}

describe("what is wrong is refused when the application starts:", () => {
  const limiter = bucket("api", 1);

  function decorated(options: RateLimitOptions): Type {
    @Controller()
    class Decorated {
      @Get()
      @RateLimit(options)
      get(): void {}

      // no route, so nothing need be said of it
      helper(): void {}
    }
    return Decorated;
  }

  it.each<[problem: string, RateLimitModuleOptions, Type, message: RegExp]>([
    [
      "a name that nobody has",
      { key: "a" },
      decorated({ limiter: "log-in" }),
      /^Decorated\.get: .*"log-in", but none/,
    ],
    ["of which others exist", { limiter, key: "a" }, decorated({ limiter: "log-in" }), /"log-in", but "api"/],
    ["in the module", { limiter: "log-in", key: "a" }, Root, /^RateLimitModule: .*"log-in"/],
    ["no limiter", { key: "a" }, decorated({ cost: 2 }), /^Decorated\.get: .*limiter/],
    ["no key", { limiters: [limiter] }, decorated({ limiter: "api" }), /^Decorated\.get: .*key/],
    ["no key for all routes", { limiter }, Root, /^Root\.root: .*key/],
    ["a wrong option", { limiter, key: "a", preflight: JSON.parse('"maybe"') }, Root, /preflight/],
    [
      "a wrong option of a route",
      { limiter, key: "a" },
      decorated(JSON.parse('{ "points": 5 }')),
      /"points"/,
    ],
    ["two of a name", { limiter, limiters: [bucket("api", 2)] }, Root, /two limiters.*"api"/],
    ["a misspelt option without a limiter", JSON.parse('{ "limitr": "api", "key": "a" }'), Root, /"limitr"/],
    ["an option of others without a limiter", JSON.parse('{ "max": 3 }'), Root, /"max"/],
    ["a wrong option without a limiter", { key: "a", headers: JSON.parse('"new"') }, Root, /headers/],
    ["a misspelt option of a route", { key: "a" }, decorated(JSON.parse('{ "limitr": "api" }')), /"limitr"/],
    ["a function among the limiters", { limiters: [Object(() => limiter)] }, Root, /array of limiters/],
    ["limiters that are none", JSON.parse('{ "limiters": ["api"] }'), Root, /array of limiters/],
  ])("%s", async (_, options, controller, message) => {
    @Module({ imports: [RateLimitModule.forRoot(options)], controllers: [controller] })
    class AppModule {}

    const started = start(AppModule);
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toBeInstanceOf(InvalidPolicyError);
  });

  it("the module twice, with options", async () => {
    const once = (): ReturnType<typeof RateLimitModule.forRoot> =>
      RateLimitModule.forRoot({ limiter, key: "a" });

    @Module({ imports: [once()] })
    class FeatureModule {}

    @Module({ imports: [once(), FeatureModule], controllers: [Root] })
    class AppModule {}

    await expect(start(AppModule)).rejects.toThrow(/imported twice/);
  });

  it.each<[problem: string, made: unknown, message: RegExp]>([
    ["nothing", undefined, /options must be an object, got undefined/],
    ["a text", "api", /options must be an object, got api/],
    ["a list", [], /options must be an object/],
    ["a misspelt option", { limitr: limiter, key: "a" }, /"limitr"/],
    ["where the guard stands, which comes too late", { key: "a", global: false }, /"global"/],
  ])("a factory that makes %s", async (_, made, message) => {
    const options = { useFactory: () => made };
    const started = start(Reflect.apply(RateLimitModule.forRootAsync, undefined, [options]));
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toBeInstanceOf(InvalidPolicyError);
  });

  it("a class that makes no options", async () => {
    class Empty {}
    const started = start(Reflect.apply(RateLimitModule.forRootAsync, undefined, [{ useClass: Empty }]));
    await expect(started).rejects.toThrow("RateLimitModule: Empty has no method createRateLimitOptions");
    await expect(started).rejects.toBeInstanceOf(InvalidPolicyError);
  });

  it.each<[method: "forRoot" | "forRootAsync", options: unknown, message: RegExp]>([
    ["forRoot", undefined, /forRoot needs options, got undefined/],
    ["forRoot", { global: "no" }, /global must be true or false, got no/],
    ["forRootAsync", undefined, /forRootAsync needs options, got undefined/],
    ["forRootAsync", {}, /needs useFactory, useClass or useExisting/],
    ["forRootAsync", { useFactory: () => ({}), isGlobal: true }, /unknown option "isGlobal"/],
  ])("%s(%j), before that", (method, options, message) => {
    const call = (): unknown => Reflect.apply(RateLimitModule[method], undefined, [options]);
    expect(call).toThrow(message);
    expect(call).toThrow(InvalidPolicyError);
  });
});

describe("what is wrong with a guarded route is refused when the application starts:", () => {
  class Guard extends RateLimitGuard {}

  @Controller()
  @UseGuards(RateLimitGuard)
  @RateLimit({ limiter: "nobody" })
  class OfClass {
    @Get()
    get(): void {}
  }

  @Controller()
  @RateLimit({ limiter: "nobody" })
  class OfMethod {
    @Get()
    @UseGuards(Guard)
    get(): void {}
  }

  @Controller()
  @RateLimit({ limiter: "nobody" })
  class OfApplication {
    @Get()
    get(): void {}
  }

  it.each<[place: string, Type, Provider[]]>([
    ["its class", OfClass, []],
    ["its method, by a guard that extends the guard", OfMethod, []],
    ["the application", OfApplication, [{ provide: APP_GUARD, useClass: Guard }]],
  ])("by %s, with global: false", async (_, controller, providers) => {
    @Module({
      imports: [RateLimitModule.forRoot({ key: "a", global: false })],
      controllers: [controller],
      providers,
    })
    class AppModule {}

    await expect(start(AppModule)).rejects.toThrow(/^Of\w+\.get: .*"nobody"/);
  });
});
