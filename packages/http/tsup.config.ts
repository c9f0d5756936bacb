import { packageConfig } from "../../tooling/config/src/tsup.ts";

export default packageConfig(["src/index.ts", "src/node.ts"]);
