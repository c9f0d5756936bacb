export type { Program } from "./crowd.ts";
export { proveThroughFaults } from "./prove-faults.ts";
