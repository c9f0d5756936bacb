import { describe, expect, it } from "vitest";
import { codeBlocks } from "../src/code-blocks.ts";

describe("codeBlocks", () => {
  it("takes the ts blocks and leaves the others", () => {
    const markdown = "# T\n\n```sh\nls\n```\n\n```ts\none();\n```\n\n````ts\n`x`;\n````\n\n```tsx\nno\n```\n";
    expect(codeBlocks("A.md", markdown)).toEqual([
      { name: "A.md:8", code: "one();\n" },
      { name: "A.md:12", code: "`x`;\n" },
    ]);
  });

  it("reads why a block cannot be run", () => {
    const [block] = codeBlocks("A.md", '```ts no-run="needs a cluster"\none();\n```\n');
    expect(block?.noRun).toBe("needs a cluster");
  });

  it.each(["no-run", 'no-run=""'])("refuses %s without a reason", (info) => {
    expect(() => codeBlocks("A.md", `\`\`\`ts ${info}\none();\n\`\`\`\n`)).toThrow("A.md:2: say why");
  });
});
