import blockText from "../lua/block.lua";
import getPolicyText from "../lua/get-policy.lua";
import resetText from "../lua/reset.lua";
import setPolicyText from "../lua/set-policy.lua";
import { named, type Script, withServerTime } from "./script.js";

/** The scripts that are the same for every algorithm, each made on first use. */
export const sharedScripts: Readonly<Record<"block" | "getPolicy" | "reset" | "setPolicy", () => Script>> = {
  block: once(blockText),
  getPolicy: once(getPolicyText),
  reset: once(resetText),
  setPolicy: once(setPolicyText),
};

function once(text: string): () => Script {
  let script: Script | undefined;
  return () => {
    script ??= named(withServerTime(text));
    return script;
  };
}
