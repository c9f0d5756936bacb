// The program of one server: it answers every request once its limiter has decided.
import { createServer } from "node:http";
import { obey } from "../child/obey.ts";
import { connectClients } from "../clients.ts";
import { HTTP_CASES, titleOf } from "./cases.ts";

const KEYS = Array.from({ length: 1_000 }, (_, index) => `user:${String(index).padStart(3, "0")}`);

const [wanted, redisUrl = ""] = process.argv.slice(2);
const subject = HTTP_CASES.find((one) => titleOf(one) === wanted);
if (subject === undefined) throw new Error(`there is no case ${wanted}`);
const call = await subject.prepare({ ...(await connectClients(redisUrl)), keys: KEYS, calls: 0 });

const server = createServer(async (_, response) => {
  try {
    await call();
    response.end("ok");
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

export type ServerOrder = "listen" | "cpu";

obey(async (order: ServerOrder): Promise<number> => {
  if (order === "listen") return listen();
  const { user, system } = process.cpuUsage();
  return user + system;
});

/** The port. */
function listen(): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("a server without a port"));
      else resolve(address.port);
    });
  });
}
