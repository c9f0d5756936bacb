import { expect, it } from "vitest";
import { readVersions } from "../src/versions.ts";

it("knows the version of the server and of every package that is measured", async () => {
  const { server, packages } = await readVersions();
  expect(server).toMatch(/^(Redis|Valkey) \d+\.\d+/);
  expect(Object.keys(packages).length).toBeGreaterThan(5);
  for (const version of Object.values(packages)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
});
