import type { OnModuleInit, Type } from "@nestjs/common";
import type { ApplicationConfig, DiscoveryService, MetadataScanner } from "@nestjs/core";
import { InvalidPolicyError } from "@sluice/core";
import { guardsOf, type Handler, isRoute, limitSaidOn } from "./metadata.js";
import { RateLimitGuard } from "./rate-limit-guard.js";
import { RouteLimits } from "./route-limits.js";

/** Refuses what is wrong about any route when the application starts, rather than when the route is first asked for. */
export class CheckRoutes implements OnModuleInit {
  readonly #limits: RouteLimits;
  readonly #discovery: DiscoveryService;
  readonly #scanner: MetadataScanner;
  readonly #application: ApplicationConfig;

  constructor(
    limits: RouteLimits,
    discovery: DiscoveryService,
    scanner: MetadataScanner,
    application: ApplicationConfig,
  ) {
    this.#limits = limits;
    this.#discovery = discovery;
    this.#scanner = scanner;
    this.#application = application;
  }

  /** @throws InvalidPolicyError */
  onModuleInit(): void {
    const providers = this.#discovery.getProviders();
    if (providers.some(({ instance }) => instance instanceof RouteLimits && instance !== this.#limits)) {
      // each would count every request
      throw new InvalidPolicyError(
        "RateLimitModule is imported twice with options: import it once, and say the rest by decorators",
      );
    }
    // limits of other contexts stand on providers: on resolvers and gateways
    const isGlobal = this.#application.getGlobalGuards().some((guard) => guard instanceof RateLimitGuard);
    for (const { metatype } of [...this.#discovery.getControllers(), ...providers]) {
      if (isClass(metatype)) this.#check(metatype, isGlobal);
    }
  }

  #check(declared: Type, isGlobal: boolean): void {
    for (const name of this.#scanner.getAllMethodNames(declared.prototype)) {
      const handler: unknown = declared.prototype[name];
      if (!isFunction(handler)) continue;
      const isLimited = isRoute(handler) && (isGlobal || isGuarded(declared, handler));
      if (isLimited || limitSaidOn(handler) !== undefined) this.#limits.of(declared, handler);
    }
  }
}

function isGuarded(controller: Type, handler: Handler): boolean {
  return guardsOf(controller, handler).some(
    (guard) => isFunction(guard) && (guard === RateLimitGuard || guard.prototype instanceof RateLimitGuard),
  );
}

// of a provider by a factory it is the factory
function isClass(metatype: Type | Handler | null): metatype is Type {
  return typeof metatype === "function" && typeof metatype.prototype === "object";
}

function isFunction(value: unknown): value is Handler {
  return typeof value === "function";
}
