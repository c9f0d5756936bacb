import adjustTemplate from "../lua/adjust.lua";
import consumeTemplate from "../lua/consume.lua";
import numbersLoad from "../lua/numbers/load.lua";
import numbersRead from "../lua/numbers/read.lua";
import numbersWrite from "../lua/numbers/write.lua";
import resetText from "../lua/reset.lua";
import type { Kernel, LuaStorage } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { sha1 } from "./sha1.js";

/** The text of a Lua script, and the SHA-1 under which Redis caches it, in hexadecimal digits. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
  /** The same digits as bytes. */
  readonly sha1Bytes: Uint8Array;
}

/** The scripts of one algorithm: one an operation. */
export interface AlgorithmScripts {
  readonly consume: Script;
  readonly adjust: Script;
}

/** The operations on one limit without its kernel, and how a state of a few numbers is stored. */
export interface ScriptTemplates {
  readonly consume: string;
  readonly adjust: string;
  readonly numbers: LuaStorage;
}

const BUILT_IN: ScriptTemplates = {
  consume: consumeTemplate,
  adjust: adjustTemplate,
  numbers: { read: numbersRead, load: numbersLoad, write: numbersWrite },
};
const utf8 = new TextEncoder();
const made = new WeakMap<Kernel, AlgorithmScripts>();

/** The scripts of an algorithm, made on first use. Their text depends on nothing but the algorithm. */
export function scriptsOf(kernel: Kernel): AlgorithmScripts {
  let scripts = made.get(kernel);
  if (scripts === undefined) {
    const { consume, adjust } = writeScripts(kernel);
    scripts = { consume: named(consume), adjust: named(adjust) };
    made.set(kernel, scripts);
  }
  return scripts;
}

let reset: Script | undefined;

/** The script that forgets what a key has used; the same for every algorithm. */
export function resetScript(): Script {
  reset ??= named(resetText);
  return reset;
}

/** A script under its name. */
export function named(text: string): Script {
  const digits = sha1(text);
  return { text, sha1: digits, sha1Bytes: utf8.encode(digits) };
}

/** What {@link writeScripts} needs to know of a kernel. */
export type ScriptedKernel = Pick<Kernel, "parameters" | "state" | "facts" | "dated" | "lua">;

/** Puts a kernel into the templates: a limit that is asked alone runs with its kernel inlined. */
export function writeScripts(
  kernel: ScriptedKernel,
  templates: ScriptTemplates = BUILT_IN,
): Record<keyof AlgorithmScripts, string> {
  const { lua, parameters, state, dated } = kernel;
  const { read, load, write } = lua.storage ?? templates.numbers;
  const facts = factNames(kernel);
  const date = dated === undefined ? undefined : facts[dated];
  const names = {
    parameters: parameters.join(", "),
    parametersFormat: doubles(parameters),
    state: state.join(", "),
    stateFormat: doubles(state),
    stateBytes: String(BYTES_PER_NUMBER * state.length),
    usualBytes: String(BYTES_PER_NUMBER * (1 + parameters.length)),
    facts: facts.join(", "),
    factsFormat: doubles(facts),
    granted: facts.map(grantedName).join(", "),
    brief: date && `if taken == cost and ${date} == now and not plain then return fresh end`,
    briefly: date && `;\n--          those alone when the whole cost was granted and ${date} is now`,
  };
  const blocks = { read, load, write, level: lua.level, consume: lua.consume, adjust: lua.adjust };
  const script = (template: string): string => fill(fill(template, blocks), names);
  return { consume: script(templates.consume), adjust: script(templates.adjust) };
}

const BYTES_PER_NUMBER = 8;

function doubles(names: readonly string[]): string {
  return "d".repeat(names.length);
}

/** The Lua local that holds a fact that a grant left behind. */
function grantedName(name: string): string {
  return `granted${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Replaces each `$name` by its value, indented as it stands; a line with nothing but an absent name goes. */
function fill(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return template.replace(/^( *)\$(\w+)\n|\$(\w+)/gm, (found, indent, line, word) => {
    const name: string = line ?? word;
    if (!(name in values)) return found;
    const value = values[name] ?? "";
    if (line === undefined) return value;
    return value.trimEnd() === "" ? "" : `${value.trimEnd().replace(/^(?=.)/gm, indent)}\n`;
  });
}
