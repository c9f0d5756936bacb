import type { OnModuleInit, Type } from "@nestjs/common";
import type { DiscoveryService, MetadataScanner } from "@nestjs/core";
import { InvalidPolicyError } from "@sluice/core";
import { type Handler, isRoute, limitSaidOn } from "./metadata.js";
import { RouteLimits } from "./route-limits.js";

/** Refuses what is wrong about any route when the application starts, rather than when the route is first asked for. */
export class CheckRoutes implements OnModuleInit {
  readonly #limits: RouteLimits;
  readonly #discovery: DiscoveryService;
  readonly #scanner: MetadataScanner;
  readonly #isGlobal: boolean;

  /** @param isGlobal whether the guard stands before routes that no decorator speaks of */
  constructor(limits: RouteLimits, discovery: DiscoveryService, scanner: MetadataScanner, isGlobal: boolean) {
    this.#limits = limits;
    this.#discovery = discovery;
    this.#scanner = scanner;
    this.#isGlobal = isGlobal;
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
    for (const { metatype } of [...this.#discovery.getControllers(), ...providers]) {
      if (isClass(metatype)) this.#check(metatype);
    }
  }

  #check(declared: Type): void {
    for (const name of this.#scanner.getAllMethodNames(declared.prototype)) {
      const handler: unknown = declared.prototype[name];
      if (!isFunction(handler)) continue;
      const isMeant = limitSaidOn(handler) !== undefined || (this.#isGlobal && isRoute(handler));
      if (isMeant) this.#limits.of(declared, handler);
    }
  }
}

// of a provider by a factory it is the factory
function isClass(metatype: Type | Handler | null): metatype is Type {
  return typeof metatype === "function" && typeof metatype.prototype === "object";
}

function isFunction(value: unknown): value is Handler {
  return typeof value === "function";
}
