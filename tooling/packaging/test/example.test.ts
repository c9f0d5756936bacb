import { describe, expect, it } from "vitest";
import { firstExample, toJavaScript, withoutTopLevelAwait } from "../src/example.ts";

const CODE = `import { a, b as c } from "x";
import type { T } from "y";

const t: T = await a();
console.log(t, c);
`;

describe("firstExample", () => {
  it("is the first ts block", () => {
    const markdown = "# T\n\n```sh\nnpm i\n```\n\n```ts\none();\n```\n\n```ts\ntwo();\n```\n";
    expect(firstExample(markdown)).toBe("one();\n");
  });

  it("says when there is none", () => {
    expect(() => firstExample("# T\n")).toThrow("no ```ts block");
  });
});

describe("an example as JavaScript", () => {
  it("keeps import for ES modules", () => {
    expect(toJavaScript(CODE, "esm")).toContain('import { a, b as c } from "x"');
  });

  it("has require and no await at the top for CommonJS", () => {
    const code = toJavaScript(withoutTopLevelAwait(CODE), "cjs");
    expect(code).toContain('require("x")');
    expect(code).not.toContain('"y"');
    expect(code.indexOf("async function main()")).toBeLessThan(code.indexOf("await"));
  });
});
