import { packageConfig } from "../../tooling/config/src/tsup.ts";

export default packageConfig();
