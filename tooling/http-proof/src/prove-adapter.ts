import { describe } from "vitest";
import { proveDenials } from "./denials.ts";
import { proveErrors } from "./errors.ts";
import { proveGrants } from "./grants.ts";
import { proveHeldRequests } from "./held-requests.ts";
import type { Adapter } from "./route.ts";
import { proveSeveralLimits } from "./several-limits.ts";
import { proveStoreFailures } from "./store-failures.ts";

/** The behaviour of every adapter, over real sockets. */
export function proveAdapter(adapter: Adapter): void {
  describe(adapter.name, () => {
    proveGrants(adapter);
    proveDenials(adapter);
    proveErrors(adapter);
    proveSeveralLimits(adapter);
    proveHeldRequests(adapter);
    proveStoreFailures(adapter);
  });
}
