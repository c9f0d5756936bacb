/** Run by the conformance kit with a library and a way to the servers: callers in processes of their own. */
import { joinCrowd } from "@sluice/store-conformance/crowd";
import { ioredisStore } from "../src/index.js";
import { LIBRARIES, openClient } from "./conformance-clients.js";

await joinCrowd(async (options, name, way = "") => {
  const library = LIBRARIES.find((each) => each === name);
  if (library === undefined) throw new Error(`no such library: ${name}`);
  const client = await openClient(library, JSON.parse(way));
  return { store: ioredisStore(client, options), close: () => client.disconnect() };
});
