import { Controller, Get, Module, Req, type Type } from "@nestjs/common";
import { compose, InvalidPolicyError } from "@sluice/core";
import {
  decisionsOf,
  type HttpRequest,
  RateLimit,
  RateLimitModule,
  type RateLimitModuleOptions,
  SkipRateLimit,
} from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { platforms, type Running, start } from "./apps.ts";
import { ask, bucket, stillStore } from "./ask.ts";

const only = (controller: Type, options: RateLimitModuleOptions = {}): Promise<Running> => {
  @Module({ imports: [RateLimitModule.forRoot(options)], controllers: [controller] })
  class AppModule {}
  return start(AppModule);
};

describe("@RateLimit", () => {
  it.each(platforms)(
    "says more of a route than its class, and that more than the module: $name",
    async ({ create }) => {
      @Controller("books")
      @RateLimit({ limiter: "books", cost: 2 })
      class Books {
        @Get()
        list(): string {
          return "list";
        }

        @Get("one")
        @RateLimit({ cost: 3, headers: "legacy", reserve: undefined })
        one(): string {
          return "one";
        }

        @Get("own")
        @RateLimit({ limiter: bucket("own", 5), key: (request) => request.url, cost: undefined })
        own(): string {
          return "own";
        }
      }

      @Controller()
      class Root {
        @Get()
        root(@Req() request: HttpRequest): string {
          return decisionsOf(request)
            .map(({ name }) => name)
            .join();
        }
      }

      const books = bucket("books", 10);
      @Module({
        imports: [RateLimitModule.forRoot({ limiter: bucket("api", 4), key: "all", limiters: [books] })],
        controllers: [Books, Root],
      })
      class AppModule {}

      await using app = await start(AppModule, create());
      expect(await ask(app.url)).toBe('200 "api";r=3;t=15');
      expect(await (await fetch(app.url)).text()).toBe("api");
      expect(await ask(`${app.url}books`)).toBe('200 "books";r=8;t=12');
      const one = await fetch(`${app.url}books/one`);
      expect([one.headers.get("x-ratelimit-remaining"), one.headers.has("ratelimit")]).toEqual(["5", false]);
      expect((await books.peek("all")).remaining).toBe(5);
      expect(await ask(`${app.url}books/own`)).toBe('200 "own";r=3;t=24');
    },
  );

  it("limits its routes only, where the module has no limiter", async () => {
    @Controller()
    class Doors {
      @Get("open")
      open(): string {
        return "open";
      }

      @Get("shut")
      @RateLimit({ limiter: bucket("doors", 0) })
      shut(): string {
        return "shut";
      }
    }

    await using app = await only(Doors, { key: "all" });
    expect(await ask(`${app.url}open`)).toBe("200 null");
    expect(await ask(`${app.url}shut`)).toBe('429 "doors";r=0;t=0');
  });

  it("limits inherited routes by what each class says", async () => {
    class Base {
      @Get()
      get(): string {
        return "got";
      }
    }

    @Controller("a")
    @RateLimit({ limiter: bucket("a", 1) })
    class A extends Base {}

    @Controller("b")
    @RateLimit({ limiter: bucket("b", 2) })
    class B extends Base {}

    @Module({ imports: [RateLimitModule.forRoot({ key: "all" })], controllers: [A, B] })
    class AppModule {}

    await using app = await start(AppModule);
    expect([await ask(`${app.url}a`), await ask(`${app.url}b`)]).toEqual([
      '200 "a";r=0;t=60',
      '200 "b";r=1;t=30',
    ]);
  });

  it("takes a composite, with keys and costs by name", async () => {
    const store = stillStore();
    const burst = bucket("burst", 10, store);
    const daily = bucket("daily", 10, store);

    @Controller()
    class Composed {
      @Get()
      @RateLimit({
        limiter: compose([burst, daily]),
        key: { burst: "b", daily: "d" },
        cost: () => ({ burst: 2, daily: 1 }),
      })
      get(): string {
        return "got";
      }
    }

    await using app = await only(Composed);
    expect(await ask(app.url)).toBe('200 "burst";r=8;t=12, "daily";r=9;t=6');
  });

  it("says type and body of a refusal together", async () => {
    @Controller()
    @RateLimit({ body: () => "<p>", contentType: "text/html" })
    class Bodies {
      @Get("text")
      @RateLimit({ body: "text" })
      text(): void {}

      @Get("html")
      html(): void {}
    }

    await using app = await only(Bodies, { limiter: bucket("api", 0), key: "all" });
    const types = ["text", "html"].map(async (path) =>
      (await fetch(app.url + path)).headers.get("content-type"),
    );
    expect(await Promise.all(types)).toEqual(["text/plain;charset=utf-8", "text/html"]);
  });

  it("is refused twice in one place, and without options", () => {
    const twice = (): unknown => {
      @RateLimit({ key: "a" })
      @RateLimit({ key: "b" })
      class Twice {}
      return Twice;
    };
    expect(twice).toThrow(InvalidPolicyError);
    expect(() => Reflect.apply(RateLimit, undefined, [])).toThrow(InvalidPolicyError);
  });
});

describe("@SkipRateLimit", () => {
  it("leaves a class alone, and what a method says counts more", async () => {
    @Controller()
    @SkipRateLimit()
    class Skipped {
      @Get("skipped")
      skipped(): void {}

      @Get("taken-back")
      @SkipRateLimit(false)
      takenBack(): void {}

      @Get("limited")
      @RateLimit({ cost: 2 })
      limited(): void {}

      @Get("both")
      @SkipRateLimit()
      @RateLimit({ cost: 2 })
      both(): void {}
    }

    await using app = await only(Skipped, { limiter: bucket("api", 6), key: "all" });
    const answers: string[] = [];
    for (const path of ["skipped", "taken-back", "limited", "both"]) answers.push(await ask(app.url + path));
    expect(answers).toEqual(["200 null", '200 "api";r=5;t=10', '200 "api";r=3;t=30', "200 null"]);
  });
});
