// `pnpm pictures`: draws the pictures of the documentation anew.
import { writeFileSync } from "node:fs";
import { PICTURES } from "./picture.ts";

for (const { path, draw } of PICTURES) {
  writeFileSync(path, await draw());
  console.log(path);
}
