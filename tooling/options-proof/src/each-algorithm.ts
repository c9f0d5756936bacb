import { describe } from "vitest";
import { bucketSubject, meterSubject, queueSubject } from "./levels.ts";
import type { Subject } from "./subject.ts";
import { counterSubject, fixedSubject, logSubject } from "./windows.ts";

/** Registers the same tests for every algorithm. */
export function eachAlgorithm(prove: <Own extends object>(subject: Subject<Own>) => void): void {
  describe("fixedWindow", () => prove(fixedSubject));
  describe("slidingWindowLog", () => prove(logSubject));
  describe("slidingWindowCounter", () => prove(counterSubject));
  describe("tokenBucket", () => prove(bucketSubject));
  describe("leakyBucketMeter", () => prove(meterSubject));
  describe("leakyBucket", () => prove(queueSubject));
}
