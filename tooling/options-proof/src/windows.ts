import { wide } from "@sluice/algorithm-proof";
import { type FixedWindowOptions, fixedWindow } from "@sluice/fixed-window";
import {
  type SlidingWindowCounterOptions,
  type SlidingWindowLogOptions,
  slidingWindowCounter,
  slidingWindowLog,
} from "@sluice/sliding-window";
import fc from "fast-check";
import type { FieldValues, Subject } from "./subject.ts";

/** A limit and a window, as every window has them. */
interface WindowOptions {
  limit: number;
  window: number;
}

const FIELDS = ["limit", "windowMs"];
const anchors = fc.constantFrom("clock" as const, "first" as const);

/** Windows with limits from 0, most of them small. */
function windows(largest: WindowOptions): fc.Arbitrary<WindowOptions> {
  const limit = fc.oneof(fc.integer({ min: 0, max: 12 }), wide(0, largest.limit));
  const window = fc.oneof(fc.integer({ min: 1, max: 20_000 }), wide(1, largest.window));
  return fc.record({ limit, window });
}

/** Limits and windows up to the largest, and a little beyond. */
function numbersUpTo(largest: WindowOptions): fc.Arbitrary<readonly number[]> {
  return fc.tuple(upToAndBeyond(largest.limit), upToAndBeyond(largest.window));
}

/** Mostly what can be kept; a number that is too large, or 0, now and then. */
export function upToAndBeyond(largest: number): fc.Arbitrary<number> {
  const aroundLargest = fc.integer({ min: -2, max: 2 }).map((distance) => largest + distance);
  return fc.oneof(
    { weight: 3, arbitrary: wide(1, largest) },
    { weight: 1, arbitrary: aroundLargest },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, largest, largest + 1, 2 ** 53) },
  );
}

function windowOf(values: FieldValues): WindowOptions {
  return { limit: Number(values.get("limit")), window: Number(values.get("windowMs")) };
}

function shape(limit: number, window: number): WindowOptions {
  return { limit, window };
}

const LARGEST_FIXED = { limit: 2 ** 53 - 2, window: 2 ** 52 };
const LARGEST_LOG = { limit: 2 ** 48 - 2, window: 2 ** 48 };
const LARGEST_COUNTER = { limit: 2 ** 53 - 2, window: 2 ** 36 - 1 };

export const fixedSubject: Subject<FixedWindowOptions> = {
  create: fixedWindow,
  shape: (limit, window) => ({ limit, window, anchor: "first" }),
  policies: fc
    .tuple(windows(LARGEST_FIXED), fc.option(anchors, { nil: undefined }))
    .map(([window, anchor]) => ({ ...window, anchor })),
  fields: FIELDS,
  words: { anchor: ["clock", "first"] },
  numbers: numbersUpTo(LARGEST_FIXED),
  ownOf: (values) => {
    const anchor = values.get("anchor");
    return { ...windowOf(values), anchor: anchor === "first" || anchor === "clock" ? anchor : undefined };
  },
};

export const logSubject: Subject<SlidingWindowLogOptions> = {
  create: slidingWindowLog,
  shape,
  policies: windows(LARGEST_LOG),
  fields: FIELDS,
  words: {},
  numbers: numbersUpTo(LARGEST_LOG),
  ownOf: windowOf,
};

export const counterSubject: Subject<SlidingWindowCounterOptions> = {
  create: slidingWindowCounter,
  shape,
  policies: windows(LARGEST_COUNTER),
  fields: FIELDS,
  words: {},
  numbers: numbersUpTo(LARGEST_COUNTER),
  ownOf: windowOf,
};
