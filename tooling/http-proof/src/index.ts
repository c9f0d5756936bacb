export { bucket, stillStore } from "./asking.ts";
export { forArgs } from "./for-args.ts";
export { type Listening, listen } from "./listen.ts";
export { proveAdapter } from "./prove-adapter.ts";
export type { Adapter, OwnOptions, Reply, Route, Seen } from "./route.ts";
