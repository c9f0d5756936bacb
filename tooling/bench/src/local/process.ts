// The program of one case: each has a process of its own, as it would have in service, so that none slows down what
// the compiler made of another one's code.

import { obey } from "../child/obey.ts";
import { makeCalls } from "../load.ts";
import { localCases } from "./cases.ts";

const KEYS = Array.from({ length: 1_000 }, (_, index) => `user:${String(index).padStart(3, "0")}`);

const [wanted, redisUrl = ""] = process.argv.slice(2);
const subject = localCases().find(({ name }) => name === wanted);
if (subject === undefined) throw new Error(`there is no case ${wanted}`);
const { callers = 1 } = subject;
const call = await subject.prepare(KEYS, redisUrl);

/** Decisions a second. */
obey(async (calls: number): Promise<number> => {
  const startMs = performance.now();
  await makeCalls(call, calls, callers);
  return (calls / (performance.now() - startMs)) * 1_000;
});
