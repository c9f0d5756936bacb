import { workspaceConfig } from "./tooling/config/src/vitest.ts";

export default workspaceConfig(import.meta.dirname, ["packages", "tooling"]);
