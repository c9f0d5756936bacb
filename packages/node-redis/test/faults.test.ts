import { proveThroughFaults } from "@sluice/fault-proof";

const path = new URL("callers.ts", import.meta.url);
const strands =
  "it takes the replies to its next handshake for those to what it wrote as the connection broke";

proveThroughFaults("node-redis", [
  { path, args: ["node-redis 6"] },
  { path, args: ["node-redis 6"] },
  { path, args: ["node-redis 5"], strands },
]);
