import { type DynamicModule, Module, type Provider } from "@nestjs/common";
import {
  APP_GUARD,
  ApplicationConfig,
  DiscoveryModule,
  DiscoveryService,
  MetadataScanner,
} from "@nestjs/core";
import { CheckRoutes } from "./check-routes.js";
import type { HttpRequest } from "./http-request.js";
import {
  asyncProviders,
  checkAsyncOptions,
  checkOptions,
  type GuardOptions,
  OPTIONS,
  type RateLimitModuleAsyncOptions,
} from "./module-options.js";
import { RateLimitGuard } from "./rate-limit-guard.js";
import type { RateLimitModuleOptions } from "./rate-limit-options.js";
import { RouteLimits } from "./route-limits.js";

/**
 * Limits an application. Import it once, with options, in the root module: every module has the guard then.
 *
 * @example
 * ```ts
 * import { Module } from "@nestjs/common";
 * import { addressKey, clientAddress, RateLimitModule } from "@sluice/nestjs";
 * import { tokenBucket } from "@sluice/token-bucket";
 *
 * const limiter = tokenBucket({ name: "api", capacity: 100, refill: { tokens: 100, every: "1m" } });
 *
 * @Module({
 *   imports: [RateLimitModule.forRoot({ limiter, key: (request) => ["ip", addressKey(clientAddress(request))] })],
 * })
 * class AppModule {}
 * ```
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: what Nest takes for a module is a class
export class RateLimitModule {
  /** With options that are known. Wrong ones are refused with InvalidPolicyError when the application starts. */
  static forRoot<Request extends HttpRequest = HttpRequest, Name extends string = string>(
    options: RateLimitModuleOptions<Request, Name> & GuardOptions,
  ): DynamicModule {
    checkOptions("forRoot", options);
    const { global, ...own } = options;
    return moduleWith([{ provide: OPTIONS, useValue: own }], { global });
  }

  /** With options that are made from other providers. */
  static forRootAsync<Request extends HttpRequest = HttpRequest, Name extends string = string>(
    options: RateLimitModuleAsyncOptions<Request, Name>,
  ): DynamicModule {
    checkAsyncOptions(options);
    return moduleWith(asyncProviders(options), options);
  }
}

function moduleWith(
  options: Provider[],
  { global = true, imports = [] }: GuardOptions & Pick<DynamicModule, "imports">,
): DynamicModule {
  return {
    module: RateLimitModule,
    global: true,
    imports: [...imports, DiscoveryModule],
    providers: [
      ...options,
      {
        provide: RouteLimits,
        useFactory: (said: RateLimitModuleOptions) => new RouteLimits(said),
        inject: [OPTIONS],
      },
      {
        provide: CheckRoutes,
        useFactory: (...needed: ConstructorParameters<typeof CheckRoutes>) => new CheckRoutes(...needed),
        inject: [RouteLimits, DiscoveryService, MetadataScanner, ApplicationConfig],
      },
      RateLimitGuard,
      ...(global ? [{ provide: APP_GUARD, useExisting: RateLimitGuard }] : []),
    ],
    exports: [RouteLimits, RateLimitGuard],
  };
}
