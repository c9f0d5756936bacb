import { describe, expect, it } from "vitest";
import { readInstructions } from "../src/callgrind.ts";

const HEAD = `# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4711
cmd:  /usr/bin/redis-server --port 6399
part: 2

desc: Trigger: dump

positions: line
`;
const COSTS = `
fn=(4646) calloc
0 3569

`;

describe("readInstructions", () => {
  it("reads the totals of a dump", () => {
    expect(readInstructions(`${HEAD}events: Ir\nsummary: 41\n${COSTS}totals: 124943235\n`)).toBe(124_943_235);
  });

  it("reads the summary where there are no totals", () => {
    expect(readInstructions(`${HEAD}events: Ir\nsummary: 41\n${COSTS}`)).toBe(41);
  });

  it("reads the first of several events", () => {
    expect(readInstructions(`${HEAD}events: Ir Dr Dw\n${COSTS}totals: 70 20 10\n`)).toBe(70);
  });

  it.each([
    ["that is cut off", `${HEAD}events: Ir\n${COSTS}`],
    ["of other events", `${HEAD}events: Dr Ir\n${COSTS}totals: 20 70\n`],
    ["that is empty", ""],
  ])("refuses a dump %s", (_, dump) => {
    expect(() => readInstructions(dump)).toThrow("no complete dump");
  });
});
