import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { luaTextForVite } from "./lua-text.ts";

const SOURCE_CONDITION = "@sluice/source";

/** The folders directly under `root/<parent>` that have a `test` folder. */
function testedFolders(root: string, parent: string): string[] {
  const path = join(root, parent);
  if (!existsSync(path)) return [];
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map((entry) => join(parent, entry.name))
    .filter((folder) => existsSync(join(root, folder, "test")));
}

/**
 * Projects whose files of tests share what they import, since loading it again for each took half of their time. The others
 * look at what is one for each process, or leave it changed.
 */
const SHARING = /^packages[\\/](?!core$|ioredis$|node-redis$)/;

/** A project whose tests run once more, with other versions of what it imports. */
export interface OnceMore {
  name: string;
  folder: string;
  /** Folders of packages, by what is imported. */
  alias: Record<string, string>;
}

/**
 * One run over every package: each folder with a `test` folder is a project, named by its path
 * (`vitest --project packages/core`). Packages are tested from their sources, so nothing need be built.
 */
export function workspaceConfig(
  root: string,
  parents: string[],
  onceMore: OnceMore[] = [],
): ReturnType<typeof defineConfig> {
  const folders = parents.flatMap((parent) => testedFolders(root, parent));
  const each = folders.map((folder): OnceMore => ({ name: folder, folder, alias: {} }));
  return defineConfig({
    root,
    plugins: [luaTextForVite()],
    resolve: { conditions: [SOURCE_CONDITION, ...defaultClientConditions] },
    ssr: { resolve: { conditions: [SOURCE_CONDITION, ...defaultServerConditions] } },
    test: {
      maxWorkers: 2,
      testTimeout: 20_000,
      hookTimeout: 60_000,
      projects: [...each, ...onceMore].map(({ name, folder, alias }) => ({
        extends: true,
        root: join(root, folder),
        resolve: { alias },
        test: { name, include: ["test/**/*.test.ts"], isolate: !SHARING.test(folder) },
      })),
    },
  });
}
