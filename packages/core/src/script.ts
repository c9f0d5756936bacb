import adjustTemplate from "../lua/adjust.lua";
import consumeTemplate from "../lua/consume.lua";
import type { Kernel, LuaKernel } from "./algorithm-definition.js";
import { sha1 } from "./sha1.js";

/** The text of a Lua script and the name under which Redis caches it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** The scripts of one algorithm: one an operation. */
export interface AlgorithmScripts {
  readonly consume: Script;
  readonly adjust: Script;
}

/** A driver's two templates: the operations on one limit, without the kernel. */
export interface ScriptTemplates {
  readonly consume: string;
  readonly adjust: string;
}

const BUILT_IN: ScriptTemplates = { consume: consumeTemplate, adjust: adjustTemplate };
const made = new WeakMap<Kernel, AlgorithmScripts>();

/** The scripts of an algorithm, made on first use. Their text depends on nothing but the algorithm. */
export function scriptsOf(kernel: Kernel): AlgorithmScripts {
  let scripts = made.get(kernel);
  if (scripts === undefined) {
    const { consume, adjust } = writeScripts(kernel, kernel.lua);
    scripts = { consume: named(consume), adjust: named(adjust) };
    made.set(kernel, scripts);
  }
  return scripts;
}

function named(text: string): Script {
  return { text, sha1: sha1(text) };
}

/** Puts a kernel into the templates: a limit that is asked alone runs with its kernel inlined. */
export function writeScripts(
  { parameters, state, dated }: Pick<Kernel, "parameters" | "state" | "dated">,
  lua: LuaKernel,
  templates: ScriptTemplates = BUILT_IN,
): Record<keyof AlgorithmScripts, string> {
  const values: Record<string, string> = {
    parameters: parameters.join(", "),
    parametersFormat: "d".repeat(parameters.length),
    state: state.join(", "),
    stateFormat: "d".repeat(state.length),
    usualBytes: String(8 * (1 + parameters.length)),
    stateBytes: String(8 * state.length),
    granted: state.map(grantedName).join(", "),
    level: lua.level.trimEnd(),
    consume: lua.consume.trimEnd(),
    adjust: lua.adjust.trimEnd(),
  };
  const date = dated === undefined ? undefined : state[dated];
  values.brief =
    date === undefined ? "" : `if taken == cost and ${date} == now and not plain then return fresh end`;
  values.briefly =
    date === undefined
      ? ""
      : `;\n--          the state alone when the whole cost was granted and ${date} is now`;
  const fill = (template: string): string =>
    template.replace(/\$(\w+)/g, (found, name) => values[name] ?? found);
  return { consume: fill(templates.consume), adjust: fill(templates.adjust) };
}

/** The Lua local that holds a number of the state that a grant left behind. */
function grantedName(name: string): string {
  return `granted${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
