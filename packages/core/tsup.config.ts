import { packageConfig } from "../../tooling/config/src/tsup.ts";

export default packageConfig(["src/index.ts", "src/testing.ts", "src/algorithm.ts"]);
