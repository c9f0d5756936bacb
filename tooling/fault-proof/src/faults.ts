import type { Fault } from "./fault.ts";
import { NETWORK_FAULTS } from "./network-faults.ts";
import { SERVER_FAULTS } from "./server-faults.ts";

/** All that may go wrong between a client and its server. */
export const FAULTS: readonly Fault[] = [...NETWORK_FAULTS, ...SERVER_FAULTS];
