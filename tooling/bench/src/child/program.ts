import { fileURLToPath } from "node:url";
import { bundle } from "@sluice/run-alone";
import { Child } from "./child.ts";

/** A program of this benchmark, over the sources, that runs in processes of its own while something is measured. */
export interface Program extends AsyncDisposable {
  start(...args: readonly string[]): Promise<Child>;
}

export async function programAt(url: URL): Promise<Program> {
  const { program, remove } = await bundle(fileURLToPath(url));
  const children: Child[] = [];
  return {
    async start(...args) {
      const child = await Child.start(program, args);
      children.push(child);
      return child;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child.stop()));
      await remove();
    },
  };
}
