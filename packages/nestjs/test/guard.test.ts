import { Controller, type ExecutionContext, Get, Injectable, Module, UseGuards } from "@nestjs/common";
import { APP_GUARD } from "@nestjs/core";
import { InvalidPolicyError } from "@sluice/core";
import {
  type HttpRequest,
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
} from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { platforms, type Running, start } from "./apps.ts";
import { ask, bucket } from "./ask.ts";

@Injectable()
class OwnGuard extends RateLimitGuard {}

@Controller()
@UseGuards(RateLimitGuard)
class Guarded {
  @Get()
  @UseGuards(RateLimitGuard, OwnGuard)
  root(): string {
    return "root";
  }
}

describe.each(platforms)("a guard that stands several times before a route on $name", ({ create }) => {
  it("counts a request once", async () => {
    @Module({
      imports: [RateLimitModule.forRoot({ limiter: bucket("api", 3), key: "all" })],
      controllers: [Guarded],
      providers: [{ provide: APP_GUARD, useClass: OwnGuard }],
    })
    class AppModule {}

    await using app = await start(AppModule, create());
    expect(await ask(app.url)).toBe('200 "api";r=2;t=20');
    expect(await ask(app.url)).toBe('200 "api";r=1;t=40');
  });

  it("asks onLimited once", async () => {
    const asked: unknown[] = [];
    const onLimited = (request: HttpRequest): void => void asked.push(request);
    @Module({
      imports: [RateLimitModule.forRoot({ limiter: bucket("api", 0), key: "all", onLimited })],
      controllers: [Guarded],
    })
    class AppModule {}

    await using app = await start(AppModule, create());
    expect(await ask(app.url)).toBe('200 "api";r=0;t=0');
    expect(asked).toHaveLength(1);
  });
});

describe("a guard that was made by new", () => {
  it("fails, and says what to write", async () => {
    const thrown: unknown[] = [];

    class Watched extends RateLimitGuard {
      override async canActivate(context: ExecutionContext): Promise<boolean> {
        return super.canActivate(context).catch((error: unknown) => {
          thrown.push(error);
          throw error;
        });
      }
    }

    @Controller()
    class Root {
      @Get()
      @UseGuards(new Watched())
      root(): void {}
    }

    @Module({ imports: [RateLimitModule.forRoot({ key: "all", global: false })], controllers: [Root] })
    class AppModule {}

    await using app = await start(AppModule);
    expect(await ask(app.url)).toBe("500 null");
    expect(thrown).toEqual([expect.any(InvalidPolicyError)]);
    expect(String(thrown[0])).toMatch(/say the class, as in @UseGuards\(RateLimitGuard\)/);
  });
});

describe("a limiter that is a function", () => {
  interface Known extends HttpRequest {
    plan: string;
  }

  /** As a guard or middleware of the application does. */
  const findPlan = (app: Running["app"]): unknown =>
    app.use((request: Known, _response: unknown, next: () => void) => {
      request.plan = request.url.endsWith("?paid") ? "paid" : "free";
      next();
    });

  const [free, paid] = [bucket("free", 1), bucket("paid", 5)];

  it("is given the request that the type parameter says, or its own parameter", async () => {
    @Controller()
    class Plans {
      @Get("said")
      @RateLimit<Known>({ limiter: (request) => (request.plan === "paid" ? paid : free) })
      said(): void {}

      @Get("annotated")
      @RateLimit({ limiter: (request: Known) => (request.plan === "paid" ? paid : free) })
      annotated(): void {}
    }

    const options: RateLimitModuleOptions<Known> = { key: (request) => request.plan };
    @Module({ imports: [RateLimitModule.forRoot(options)], controllers: [Plans] })
    class AppModule {}

    await using app = await start(AppModule, undefined, findPlan);
    expect(await ask(`${app.url}said?paid`)).toBe('200 "paid";r=4;t=12');
    expect(await ask(`${app.url}annotated?paid`)).toBe('200 "paid";r=3;t=24');
    expect(await ask(`${app.url}annotated`)).toBe('200 "free";r=0;t=60');
  });

  it("can be that of the module, and of a factory", async () => {
    @Controller()
    class Root {
      @Get()
      root(): void {}
    }

    const limiter = (request: Known): typeof free => (request.plan === "paid" ? paid : free);
    const made = RateLimitModule.forRootAsync({ useFactory: () => ({ limiter, key: "module" }) });
    @Module({ imports: [made], controllers: [Root] })
    class AppModule {}

    await using app = await start(AppModule, undefined, findPlan);
    expect(await ask(`${app.url}?paid`)).toBe('200 "paid";r=4;t=12');
  });
});
