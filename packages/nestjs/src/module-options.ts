import type { FactoryProvider, ModuleMetadata, Provider, Type } from "@nestjs/common";
import { InvalidPolicyError } from "@sluice/core";
import type { HttpRequest } from "./http-request.js";
import type { RateLimitModuleOptions } from "./rate-limit-options.js";

/** The token of the module's options. */
export const OPTIONS: unique symbol = Symbol("RateLimitModuleOptions");

/** Where the guard stands. */
export interface GuardOptions {
  /** Whether it is the guard of every route; default true. Otherwise say `@UseGuards(RateLimitGuard)`. */
  global?: boolean | undefined;
}

/** A provider that makes the options. */
export interface RateLimitOptionsFactory<
  Request extends HttpRequest = HttpRequest,
  Name extends string = string,
> {
  createRateLimitOptions():
    | RateLimitModuleOptions<Request, Name>
    | Promise<RateLimitModuleOptions<Request, Name>>;
}

/** How the options are made: by one of `useFactory`, `useClass`, `useExisting`. */
export interface RateLimitModuleAsyncOptions<
  Request extends HttpRequest = HttpRequest,
  Name extends string = string,
> extends GuardOptions,
    Pick<ModuleMetadata, "imports"> {
  /** Makes the options from the providers that `inject` names. */
  useFactory?: FactoryProvider<RateLimitModuleOptions<Request, Name>>["useFactory"];
  inject?: FactoryProvider["inject"];
  /** A class to be made in this module. */
  useClass?: Type<RateLimitOptionsFactory<Request, Name>>;
  /** A provider of the modules in `imports`. */
  useExisting?: Type<RateLimitOptionsFactory<Request, Name>>;
}

/** @throws InvalidPolicyError where nothing makes the options */
export function asyncProviders<Request extends HttpRequest, Name extends string>({
  useFactory,
  inject = [],
  useClass,
  useExisting,
}: RateLimitModuleAsyncOptions<Request, Name>): Provider[] {
  if (useFactory !== undefined) return [{ provide: OPTIONS, useFactory, inject }];
  const factory = useExisting ?? useClass;
  if (factory === undefined) {
    throw new InvalidPolicyError("RateLimitModule: forRootAsync needs useFactory, useClass or useExisting");
  }
  const options: Provider = {
    provide: OPTIONS,
    useFactory: (made: RateLimitOptionsFactory) => made.createRateLimitOptions(),
    inject: [factory],
  };
  return useClass === undefined ? [options] : [options, useClass];
}
