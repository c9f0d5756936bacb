import { proveThroughFaults } from "@sluice/fault-proof";

const path = new URL("callers.ts", import.meta.url);

proveThroughFaults("ioredis", [
  { path, args: ["ioredis 6"] },
  { path, args: ["ioredis 6"] },
  { path, args: ["ioredis 5"] },
]);
