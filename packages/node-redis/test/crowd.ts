/** Run by the conformance kit with a setting as JSON: callers in processes of their own, each with a client. */
import { joinCrowd } from "@sluice/store-conformance/crowd";
import { openClient } from "./open-client.js";

await joinCrowd(async (options, setting = "") => {
  const { storeOf, close } = await openClient(JSON.parse(setting));
  return { store: storeOf(options), close };
});
