export type { Candidate, Program, StateServer, Stores } from "./candidate.ts";
export { allAreNamed } from "./cluster-ground.ts";
export { proveOnCluster } from "./cluster-upheavals.ts";
export { proveMovingSlot } from "./moving-slot.ts";
export { proveConnection, proveStore } from "./prove-store.ts";
export { proveReadOnlyReplica } from "./read-only-replica.ts";
export { proveReplicasIdle } from "./replicas-idle.ts";
export { proveOnSentinel } from "./sentinel-upheavals.ts";
export { proveUpheaval, type Upheaval } from "./upheaval.ts";
