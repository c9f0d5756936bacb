import fc from "fast-check";
import type { FieldValues, Subject } from "./subject.ts";

/** The fields of a policy as text, as a person may have typed them. */
export type Fields = ReadonlyMap<string, string>;

type Change =
  | { readonly do: "remove"; readonly which: number }
  | { readonly do: "retype"; readonly which: number; readonly text: string }
  | { readonly do: "add"; readonly field: string; readonly text: string };

/** Texts that some reader of numbers would take for one; the last two are numbers. */
const ODD_NUMBERS = [
  ...[
    "",
    " ",
    "-1",
    "-0",
    "+5",
    "1.5",
    "5.0",
    "5.",
    "1e3",
    "0x10",
    " 5",
    "5 ",
    "5\n",
    "5\0",
    "\u{feff}5",
    "٣",
    "0b1",
  ],
  ...[
    "1_000",
    "1,000",
    "nan",
    "inf",
    "Infinity",
    "nil",
    "null",
    "1s",
    "5 ms",
    "1m",
    "[1]",
    "5\r\nSLUICENOPOLICY 1 ",
    '"',
  ],
  ...["9007199254740992", "9007199254740993", "18446744073709551616", "9".repeat(400)],
  ...["007", `${"0".repeat(40)}7`],
];
/** Names that are near to those of fields, or mean something to some language. */
const STRANGERS = [
  ...[
    "limits",
    "Limit",
    "limit ",
    "limitMs",
    "window",
    "windowMS",
    "refill",
    "leak",
    "refill.every",
    "leak.tokens.x",
    "max",
  ],
  ...[
    "constructor",
    "__proto__",
    "toString",
    "length",
    "1",
    "",
    ".",
    "a.b.c",
    "li\r\nmit",
    'li"mit',
    "%d",
    "\u{feff}limit",
  ],
];
const ODD_WORDS = ["", "Clock", "clock ", "FIRST", "0", "1", "first\0", "none"];

const oddNumbers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_NUMBERS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), which: fc.nat({ max: 5 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("retype" as const), which: fc.nat({ max: 5 }), text: oddNumbers }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      field: fc.constantFrom(...STRANGERS),
      text: fc.oneof(fc.constant("5"), oddNumbers),
    }),
  },
);

/** Policies as people type them: some are right, some at the edge of what can be kept, some broken. */
export function handWritten<Own extends object>({
  fields,
  words,
  numbers,
}: Subject<Own>): fc.Arbitrary<Fields> {
  const said = Object.entries(words).map(([field, right]) =>
    fc
      .oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        { weight: 3, arbitrary: fc.constantFrom<string>(...right) },
        { weight: 1, arbitrary: fc.constantFrom(...ODD_WORDS) },
      )
      .map((word) => (word === undefined ? [] : [[field, word] as const])),
  );
  const several = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Change[]>([]) },
    { weight: 2, arbitrary: fc.array(changes, { minLength: 1, maxLength: 2 }) },
  );
  const policies = fc.tuple(numbers, fc.tuple(...said), several).map(([values, optional, broken]) => {
    const typed = new Map<string, string>(optional.flat());
    for (const [i, field] of fields.entries()) typed.set(field, String(values[i]));
    for (const change of broken) apply(typed, change, fields);
    return typed;
  });
  // without a field there is no policy at all
  return policies.filter(({ size }) => size > 0);
}

function apply(typed: Map<string, string>, change: Change, fields: readonly string[]): void {
  if (change.do === "add") {
    typed.set(change.field, change.text);
    return;
  }
  const field = fields[change.which % fields.length];
  if (field === undefined) return;
  if (change.do === "remove") typed.delete(field);
  else typed.set(field, change.text);
}

/** The fields that are missing, unknown, or do not say what such a field can say at all. */
export function misspelt<Own extends object>({ fields, words }: Subject<Own>, typed: Fields): string[] {
  const broken = fields.filter((field) => !/^\d+$/.test(typed.get(field) ?? ""));
  for (const [field, text] of typed) {
    const isRight = fields.includes(field) || (Object.hasOwn(words, field) && words[field]?.includes(text));
    if (!isRight) broken.push(field);
  }
  return broken;
}

/** What fields say that are not misspelt. */
export function valuesOf(typed: Fields): FieldValues {
  return new Map([...typed].map(([field, text]) => [field, /^\d+$/.test(text) ? Number(text) : text]));
}
