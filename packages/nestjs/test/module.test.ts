import {
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  Module,
  type ModuleMetadata,
  UseGuards,
} from "@nestjs/common";
import { APP_GUARD } from "@nestjs/core";
import {
  type HttpRequest,
  RateLimitGuard,
  RateLimitModule,
  type RateLimitModuleOptions,
  type RateLimitOptionsFactory,
} from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { start } from "./apps.ts";
import { ask, bucket } from "./ask.ts";

class Config {
  readonly capacity: number = 3;
}

@Module({ providers: [Config], exports: [Config] })
class ConfigModule {}

class OptionsService implements RateLimitOptionsFactory {
  createRateLimitOptions(): RateLimitModuleOptions {
    return { limiter: bucket("api", 2), key: "all" };
  }
}

@Module({ providers: [OptionsService], exports: [OptionsService] })
class OptionsModule {}

@Controller()
class Root {
  @Get()
  root(): string {
    return "root";
  }
}

describe("forRootAsync", () => {
  it.each([
    [
      "useFactory, with what is injected",
      RateLimitModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async ({ capacity }: Config) => ({
          limiter: bucket("api", capacity),
          key: (request: HttpRequest) => request.method,
        }),
      }),
      '200 "api";r=2;t=20',
    ],
    ["useClass", RateLimitModule.forRootAsync({ useClass: OptionsService }), '200 "api";r=1;t=30'],
    [
      "useExisting",
      RateLimitModule.forRootAsync({ imports: [OptionsModule], useExisting: OptionsService }),
      '200 "api";r=1;t=30',
    ],
    [
      "none of the routes with global: false",
      RateLimitModule.forRootAsync({ useClass: OptionsService, global: false }),
      "200 null",
    ],
  ])("limits by the options of %s", async (_, module, expected) => {
    @Module({ imports: [module], controllers: [Root] })
    class AppModule {}

    await using app = await start(AppModule);
    expect(await ask(app.url)).toBe(expected);
  });
});

describe("global: false", () => {
  it("limits what uses the guard, in any module", async () => {
    @Controller("guarded")
    @UseGuards(RateLimitGuard)
    class Guarded {
      @Get()
      get(): void {}
    }

    @Module({ controllers: [Guarded] })
    class FeatureModule {}

    @Module({
      imports: [
        RateLimitModule.forRoot({ limiter: bucket("api", 1), key: "all", global: false }),
        FeatureModule,
      ],
      controllers: [Root],
    })
    class AppModule {}

    await using app = await start(AppModule);
    expect(await ask(app.url)).toBe("200 null");
    expect(await ask(`${app.url}guarded`)).toBe('200 "api";r=0;t=60');
    expect(await ask(`${app.url}guarded`)).toBe('429 "api";r=0;t=60');
  });

  it("asks for no key of a route that nothing guards", async () => {
    @Module({
      imports: [RateLimitModule.forRoot({ limiter: bucket("api", 1), global: false })],
      controllers: [Root],
    })
    class AppModule {}

    await using app = await start(AppModule);
    expect(await ask(app.url)).toBe("200 null");
  });
});

describe("the guard of the module", () => {
  interface Known extends HttpRequest {
    user?: string;
  }

  class LogIn implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      context.switchToHttp().getRequest<Known>().user = "ada";
      return true;
    }
  }

  @Module({ providers: [{ provide: APP_GUARD, useClass: LogIn }] })
  class LogInModule {}

  const limited = (seen: unknown[]): ReturnType<typeof RateLimitModule.forRoot> => {
    const key = ({ user = "nobody" }: Known): string => {
      seen.push(user);
      return user;
    };
    return RateLimitModule.forRoot({ limiter: bucket("api", 1), key });
  };

  it.each<[place: string, (module: DynamicModule) => ModuleMetadata, user: string]>([
    [
      "after those of the module that imports it",
      (module) => ({ imports: [module], providers: [{ provide: APP_GUARD, useClass: LogIn }] }),
      "ada",
    ],
    ["after those of modules before it", (module) => ({ imports: [LogInModule, module] }), "ada"],
    ["before those of modules after it", (module) => ({ imports: [module, LogInModule] }), "nobody"],
  ])("comes %s", async (_, around, user) => {
    const seen: unknown[] = [];
    @Module({ ...around(limited(seen)), controllers: [Root] })
    class AppModule {}

    await using app = await start(AppModule);
    expect(await ask(app.url)).toBe('200 "api";r=0;t=60');
    expect(seen).toEqual([user]);
  });
});
