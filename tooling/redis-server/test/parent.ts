/** Run by the test of `startRedis`: a process that has a server and then comes to an end. */
import { startRedis } from "../src/start-redis.ts";

const { port, folder } = await startRedis();
console.log(JSON.stringify({ port, folder }));

switch (process.argv[2]) {
  case "wait":
    // Until the test is over, however it ends: then nobody holds the other end.
    process.stdin.resume().on("end", () => process.exit());
    break;
  case "throw":
    setImmediate(() => {
      throw new Error("on purpose");
    });
    break;
  case "exit":
    process.exit(0);
    break;
  default:
  // Nothing keeps it alive: a server that is forgotten does not either.
}
