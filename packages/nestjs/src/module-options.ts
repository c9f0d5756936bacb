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
export function asyncProviders<Request extends HttpRequest, Name extends string>(
  options: RateLimitModuleAsyncOptions<Request, Name>,
): Provider[] {
  const { useFactory, inject = [], useClass, useExisting } = options;
  if (useFactory !== undefined) return [{ provide: OPTIONS, useFactory, inject }];
  const factory = useExisting ?? useClass;
  if (factory === undefined) refuse("forRootAsync needs useFactory, useClass or useExisting");
  const provider: Provider = { provide: OPTIONS, useFactory: optionsOf, inject: [factory] };
  return useClass === undefined ? [provider] : [provider, useClass];
}

function optionsOf(
  made: RateLimitOptionsFactory,
): ReturnType<RateLimitOptionsFactory["createRateLimitOptions"]> {
  if (typeof made?.createRateLimitOptions === "function") return made.createRateLimitOptions();
  return refuse(`${made?.constructor.name} has no method createRateLimitOptions`);
}

/** @throws InvalidPolicyError for what is no object of options, and for a `global` that is neither true nor false */
export function checkOptions(method: string, options: GuardOptions): void {
  const said: unknown = options;
  if (typeof said !== "object" || said === null) refuse(`${method} needs options, got ${String(said)}`);
  const { global = true } = options;
  if (typeof global !== "boolean") refuse(`global must be true or false, got ${String(global)}`);
}

const ASYNC_OPTIONS: readonly string[] = [
  "imports",
  "inject",
  "useFactory",
  "useClass",
  "useExisting",
  "global",
] satisfies (keyof RateLimitModuleAsyncOptions)[];

/** @throws InvalidPolicyError as {@link checkOptions}, and for an option that nobody knows */
export function checkAsyncOptions(options: GuardOptions): void {
  checkOptions("forRootAsync", options);
  const stranger = Object.keys(options).find((option) => !ASYNC_OPTIONS.includes(option));
  if (stranger === undefined) return;
  refuse(
    `options of forRootAsync must be { ${ASYNC_OPTIONS.join(", ")} }, got the unknown option ${JSON.stringify(stranger)}`,
  );
}

function refuse(problem: string): never {
  throw new InvalidPolicyError(`RateLimitModule: ${problem}`);
}
