import type { IncomingMessage, ServerResponse } from "node:http";
import { type ExecutionContext, Injectable, Module, type Type, UseGuards } from "@nestjs/common";
import { APP_GUARD, ExternalContextCreator } from "@nestjs/core";
import { InvalidPolicyError } from "@sluice/core";
import {
  decisionsOf,
  type HttpRequest,
  type HttpResponse,
  RateLimit,
  RateLimitedException,
  RateLimitGuard,
  RateLimitModule,
  SkipRateLimit,
} from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { type Running, start } from "./apps.ts";
import { bucket } from "./ask.ts";

interface Context {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
}

@Injectable()
class GraphQLGuard extends RateLimitGuard {
  protected override requestOf(context: ExecutionContext): HttpRequest {
    return context.getArgByIndex<Context>(2).req;
  }

  protected override responseOf(context: ExecutionContext): HttpResponse {
    return context.getArgByIndex<Context>(2).res;
  }
}

class Resolver {
  @RateLimit({ limiter: "queries" })
  limited(...args: unknown[]): string {
    return decisionsOf(Object(args[2]).req)
      .map(({ name }) => name)
      .join();
  }

  @SkipRateLimit()
  skipped(): string {
    return "skipped";
  }

  free(): string {
    return "free";
  }
}

// what resolvers need for parameters and options of their own
const NOTHING = [undefined, undefined, undefined, undefined] as const;

/** Calls a resolver for each request, in the way in which `@nestjs/graphql` does. */
async function serve(module: Type, method: keyof Resolver, thrown: unknown[]): Promise<Running> {
  return start(module, undefined, (app) => {
    app.use(async (req: IncomingMessage, res: ServerResponse) => {
      try {
        res.end(String(await resolverOf(app, method)(undefined, {}, { req, res }, undefined)));
      } catch (error) {
        thrown.push(error);
        res.end("failed");
      }
    });
  });
}

function resolverOf(app: Running["app"], method: keyof Resolver): (...args: unknown[]) => Promise<unknown> {
  const resolver = app.get(Resolver);
  const call = Reflect.get(resolver, method);
  return app.get(ExternalContextCreator).create(resolver, call, method, "", ...NOTHING, "graphql");
}

function moduleWith(guard: Type | undefined): Type {
  const options = { limiters: [bucket("queries", 1)], key: "all", global: guard === undefined };
  @Module({
    imports: [RateLimitModule.forRoot(options)],
    providers: [Resolver, ...(guard === undefined ? [] : [{ provide: APP_GUARD, useClass: guard }])],
  })
  class AppModule {}
  return AppModule;
}

describe("a handler that is not called by HTTP", () => {
  it("is refused, and does not run", async () => {
    const thrown: unknown[] = [];
    await using app = await serve(moduleWith(undefined), "limited", thrown);
    expect(await (await fetch(app.url)).text()).toBe("failed");
    expect(thrown).toEqual([expect.any(InvalidPolicyError)]);
    expect(String(thrown[0])).toMatch(/Resolver\.limited .*"graphql": extend RateLimitGuard/);
  });

  it.each(["skipped", "free"] as const)("runs where nothing limits it: %s", async (method) => {
    await using app = await serve(moduleWith(undefined), method, []);
    expect(await (await fetch(app.url)).text()).toBe(method);
  });

  it("is limited by a guard that knows its request", async () => {
    const thrown: unknown[] = [];
    await using app = await serve(moduleWith(GraphQLGuard), "limited", thrown);
    const [first, second] = [await fetch(app.url), await fetch(app.url)];
    expect([await first.text(), first.headers.get("ratelimit")]).toEqual(["queries", '"queries";r=0;t=60']);
    expect([await second.text(), second.headers.get("retry-after")]).toEqual(["failed", "60"]);
    expect(thrown).toEqual([expect.any(RateLimitedException)]);
  });

  it("counts each time that one request calls it, and once where the guard stands twice", async () => {
    const queries = bucket("queries", 5);

    class Doubled {
      @RateLimit({ limiter: queries })
      @UseGuards(GraphQLGuard)
      limited(): string {
        return "limited";
      }
    }

    @Module({
      imports: [RateLimitModule.forRoot({ key: "all", global: false })],
      providers: [Doubled, { provide: APP_GUARD, useClass: GraphQLGuard }],
    })
    class AppModule {}

    await using app = await start(AppModule, undefined, (app) => {
      app.use(async (req: IncomingMessage, res: ServerResponse) => {
        const resolver = app.get(Doubled);
        const call = app
          .get(ExternalContextCreator)
          .create(resolver, resolver.limited, "limited", "", ...NOTHING, "graphql");
        for (let time = 1; time <= 2; time += 1) await call(undefined, {}, { req, res }, undefined);
        res.end("done");
      });
    });
    expect(await (await fetch(app.url)).text()).toBe("done");
    expect((await queries.peek("all")).remaining).toBe(3);
  });

  it("is checked when the application starts, as routes are", async () => {
    const options = { limiters: [], key: "all" };
    @Module({ imports: [RateLimitModule.forRoot(options)], providers: [Resolver] })
    class AppModule {}

    await expect(start(AppModule)).rejects.toThrow(/^Resolver\.limited: .*"queries"/);
  });
});
