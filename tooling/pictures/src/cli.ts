// `pnpm pictures`: draws the pictures of the documentation anew.
import { writeFileSync } from "node:fs";
import { PICTURE_PATH, picture } from "./picture.ts";

writeFileSync(PICTURE_PATH, await picture());
console.log(PICTURE_PATH);
