import { join } from "node:path";
import { workspaceConfig } from "./tooling/config/src/vitest.ts";

const nest11 = (name: string): [string, string] => [
  `@nestjs/${name}`,
  join(import.meta.dirname, `tooling/nest-11/node_modules/@nestjs/${name}`),
];

export default workspaceConfig(
  import.meta.dirname,
  ["packages", "tooling"],
  [
    {
      name: "packages/nestjs on NestJS 11",
      folder: "packages/nestjs",
      alias: Object.fromEntries(["common", "core", "platform-express", "platform-fastify"].map(nest11)),
    },
  ],
);
