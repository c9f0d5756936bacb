import adjustTemplate from "../lua/adjust.lua";
import algorithmTemplate from "../lua/algorithm.lua";
import batchTemplate from "../lua/batch.lua";
import batchedTemplate from "../lua/batched.lua";
import boundBlock from "../lua/blocks/bound.lua";
import clockBlock from "../lua/blocks/clock.lua";
import commitBlock from "../lua/blocks/commit.lua";
import policyBlock from "../lua/blocks/policy.lua";
import readBlock from "../lua/blocks/read-block.lua";
import replyBlock from "../lua/blocks/reply.lua";
import serverTimeBlock from "../lua/blocks/server-time.lua";
import consumeTemplate from "../lua/consume.lua";
import decideTemplate from "../lua/decide.lua";
import numbersLoad from "../lua/numbers/load.lua";
import numbersRead from "../lua/numbers/read.lua";
import numbersWrite from "../lua/numbers/write.lua";
import type { Kernel, KeyPolicies, LuaStorage, PolicyField } from "./algorithm-definition.js";
import { factNames } from "./fact-names.js";
import { BYTES_PER_NUMBER } from "./packing.js";
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
  /** The same where the key may have a policy of its own, in `KEYS[2]`: they reply with the parameters as well. */
  readonly consumeKeyed: Script;
  readonly adjustKeyed: Script;
}

/** The operations without a kernel, the blocks that they share, and how a state of a few numbers is stored. */
export interface ScriptTemplates {
  readonly consume: string;
  readonly adjust: string;
  readonly clock: string;
  readonly serverTime: string;
  readonly commit: string;
  readonly policy: string;
  readonly numbers: LuaStorage;
}

const BUILT_IN: ScriptTemplates = {
  consume: consumeTemplate,
  adjust: adjustTemplate,
  clock: clockBlock,
  serverTime: serverTimeBlock,
  commit: commitBlock,
  policy: policyBlock,
  numbers: { read: numbersRead, load: numbersLoad, write: numbersWrite },
};

const utf8 = new TextEncoder();

/** What the scripts for one limit do beside where its key may have a policy of its own, in `KEYS[2]`. */
function keyed(kernel: ScriptedKernel): Record<string, string | undefined> {
  const date = dateOf(kernel);
  const brief = "return struct.pack('<d$parametersFormat', taken, $parameters) .. fresh";
  return {
    keyedPolicy: "local policyKey = KEYS[2]\n$perKey",
    keyedBounds: "local most = $most\n$bound",
    keyedReply:
      "do return struct.pack('<dd$parametersFormat$factsFormat', taken, now, $parameters, $facts) end",
    brief: date && `if taken == cost and ${date} == now and not plain then ${brief} end`,
  };
}

/** A script under its name. */
export function named(text: string): Script {
  const digits = sha1(text);
  return { text, sha1: digits, sha1Bytes: utf8.encode(digits) };
}

const made = new WeakMap<Kernel, AlgorithmScripts>();

/** The scripts of an algorithm, made on first use. Their text depends on nothing but the algorithm. */
export function scriptsOf(kernel: Kernel): AlgorithmScripts {
  let scripts = made.get(kernel);
  if (scripts === undefined) {
    const written = writeScripts(kernel);
    scripts = {
      consume: named(written.consume),
      adjust: named(written.adjust),
      consumeKeyed: named(written.consumeKeyed),
      adjustKeyed: named(written.adjustKeyed),
    };
    made.set(kernel, scripts);
  }
  return scripts;
}

/** What {@link writeScripts} needs to know of a kernel. */
export type ScriptedKernel = Pick<
  Kernel,
  "id" | "parameters" | "state" | "checked" | "facts" | "dated" | "lua" | "perKey"
>;

/** Puts a kernel into the templates: a limit that is asked alone runs with its kernel inlined. */
export function writeScripts(
  kernel: ScriptedKernel,
  templates: ScriptTemplates = BUILT_IN,
): Record<keyof AlgorithmScripts, string> {
  const consume = fill(templates.consume, { commit: templates.commit });
  const own = keyed(kernel);
  return {
    consume: fillIn(consume, kernel, templates),
    adjust: fillIn(templates.adjust, kernel, templates),
    consumeKeyed: fillIn(fill(consume, own), kernel, templates),
    adjustKeyed: fillIn(fill(templates.adjust, own), kernel, templates),
  };
}

/** The script that decides on several limits at once, of any of these algorithms, which it numbers from 1. */
export function writeDecideScript(kernels: readonly ScriptedKernel[]): string {
  const names = kernels.map((_, i) => `algorithm${i + 1}`);
  const functions = kernels.map((kernel, i) => {
    const date = dateOf(kernel);
    const brief =
      date &&
      `if taken == cost and ${date} == now and perKey ~= 1 then return all, 'b' .. fresh .. others end`;
    const own = { brief, readBlock, reply: replyBlock };
    const text = fillIn(fill(algorithmTemplate, own), kernel, BUILT_IN, "' .. position .. '");
    return fill(text, { name: names[i] }).trimEnd();
  });
  return fill(decideTemplate, { functions: functions.join("\n\n"), names: names.join(", ") });
}

/** The script that decides on calls of one limit each, of any of these algorithms, which it numbers from 1. */
export function writeBatchScript(kernels: readonly ScriptedKernel[]): string {
  const names = kernels.map((_, i) => `algorithm${i + 1}`);
  const functions = kernels.map((kernel, i) => {
    const date = dateOf(kernel);
    const brief = date && `if taken == cost and ${date} == now then return 'b', fresh end`;
    const text = fillIn(fill(fill(batchedTemplate, { commit: commitBlock }), { brief }), kernel, BUILT_IN);
    return fill(text, { name: names[i], one: `one${i + 1}` }).trimEnd();
  });
  return withServerTime(fill(batchTemplate, { functions: functions.join("\n\n"), names: names.join(", ") }));
}

/** A script with the lines by which it asks the server for the time. */
export function withServerTime(text: string): string {
  return fill(text, { serverTime: serverTimeBlock });
}

/** The name of the fact that is the date of the call on the usual path. */
function dateOf(kernel: ScriptedKernel): string | undefined {
  return kernel.dated === undefined ? undefined : factNames(kernel)[kernel.dated];
}

/** `position` is which of the limits of a call a kernel decides on, as part of a quoted text. */
function fillIn(
  template: string,
  kernel: ScriptedKernel,
  templates: ScriptTemplates,
  position = "1",
): string {
  const { lua, parameters, state } = kernel;
  const { read, load, write } = lua.storage ?? templates.numbers;
  const facts = factNames(kernel);
  const date = dateOf(kernel);
  const names = {
    // only where they are asked for
    keyedPolicy: undefined,
    keyedBounds: undefined,
    keyedReply: undefined,
    most: kernel.perKey?.most ?? "most",
    id: kernel.id,
    position,
    serverTime: templates.serverTime,
    parameters: parameters.join(", "),
    parametersFormat: doubles(parameters),
    someParameter: parameters[0],
    state: state.join(", "),
    stateFormat: doubles(state),
    oneOfState: state[0],
    allWell: wellFormed(kernel.checked ?? state),
    stateBytes: String(BYTES_PER_NUMBER * state.length),
    usualBytes: String(BYTES_PER_NUMBER * (1 + parameters.length)),
    facts: facts.join(", "),
    factsFormat: doubles(facts),
    granted: facts.map(grantedName).join(", "),
    brief: date && `if taken == cost and ${date} == now and not plain then return fresh end`,
    briefly: date && `;\n--          those alone when the whole cost was granted and ${date} is now`,
  };
  const { level, consume, adjust } = lua;
  const perKey = kernel.perKey && fill(templates.policy, policyWords(kernel.perKey));
  const blocks = {
    read,
    load,
    write,
    level,
    consume,
    adjust,
    perKey,
    clock: templates.clock,
    bound: boundBlock,
  };
  return fill(fill(fill(template, blocks), lua.blocks ?? {}), names);
}

/** How the fields of a stored policy are read: in their order at once, or one by one where that fails. */
function policyWords({ fields, lua }: KeyPolicies): Record<string, string> {
  const said = fields.map((_, i) => `said${i + 1}`);
  const word = ({ is }: PolicyField): string => (is === "number" ? "%d+" : "%a+");
  const defaults = fields.flatMap(({ name, otherwise }) =>
    otherwise === undefined ? [] : [`['${name}'] = '${otherwise}'`],
  );
  const takes = fields.map((field, i) => {
    const expected = field.is === "number" ? "a whole number" : "a word";
    return `said${i + 1} = take('${field.name}', '^${word(field)}$', '${expected}')`;
  });
  return {
    said: said.join(", "),
    fieldWords: String(2 * fields.length),
    namesInOrder: fields.map(({ name }, i) => `stored[${2 * i + 1}] == '${name}'`).join(" and "),
    valuesInOrder: fields.map((_, i) => `stored[${2 * i + 2}]`).join(", "),
    saidJoined: said.join(" .. ' ' .. "),
    pattern: `^${fields.map(word).join(" ")}$`,
    defaults: defaults.join(", "),
    take: takes.join("\n"),
    policy: lua,
  };
}

/** The condition that numbers are whole, not negative, and small enough to be reckoned with: NaN is none of it. */
function wellFormed(names: readonly string[]): string {
  const parts = names.map((name) => `${name} % 1`).join(" + ");
  const notNegative = names.map((name) => `${name} >= 0`).join(" and ");
  return `${parts} == 0 and ${names.join(" + ")} < 1e17 and ${notNegative}`;
}

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
