import { obey } from "../src/child/obey.ts";

obey(async (order: string) => {
  if (order === "wrong") throw new Error("this order is wrong");
  if (order === "end") process.exit(7);
  return `${process.argv[2]} ${order}`;
});
