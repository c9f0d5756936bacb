import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RedisServer } from "@sluice/redis-server";

/** A package's scripts as a person runs them from a shell: by `redis-cli`, with plain numbers. */
export class ScriptShell {
  /** The `redis-cli` lines in the shell blocks of the package's README. */
  readonly documented: readonly string[];
  readonly #folder: string;
  readonly #server: () => RedisServer;

  /**
   * @param folder where the package lies
   * @param server tells at each call which server is at hand
   */
  constructor(folder: string, server: () => RedisServer) {
    this.#folder = folder;
    this.#server = server;
    this.documented = commandLines(join(folder, "README.md"));
  }

  /**
   * Runs one of the shipped scripts on a key, and returns the numbers that it replies.
   *
   * @param script its path in the package's `lua` folder, such as `"consume.lua"`
   * @throws {Error} with what the script replied where that is an error
   */
  async evaluate(script: string, key: string, ...numbers: readonly (number | string)[]): Promise<number[]> {
    const path = join(this.#folder, "lua", script);
    return numbersOf(await this.#server().cli(["--eval", path, key, ",", ...numbers.map(String)]));
  }

  /** Runs a command line as it stands, but against the server at hand, and returns the numbers that it prints. */
  async run(line: string): Promise<number[]> {
    return numbersOf(await this.#server().cli(this.#argumentsOf(line)));
  }

  /** Runs a command line that starts the debugger, types into it, and returns what is on the screen then. */
  debug(line: string, typed: string): Promise<string> {
    return this.#server().cli(this.#argumentsOf(line), typed);
  }

  /** What a shell makes of a line: words, quoted ones as they are. The scripts are this package's. */
  #argumentsOf(line: string): string[] {
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
    const [program, ...args] = words.map(([, single, double, bare]) => single ?? double ?? bare ?? "");
    if (program !== "redis-cli") throw new Error(`a line for redis-cli was expected, got ${line}`);
    return args.map((word) => word.replace(/^.*(?=lua\/[\w/]+\.lua$)/, `${this.#folder}/`));
  }
}

/** The numbers of a debugger's final reply: it prints them one a line, numbered. */
export function repliedNumbers(session: string): number[] {
  return [...session.matchAll(/^(\d+)\) \(integer\) (-?\d+)$/gm)].map((match) => Number(match[2]));
}

function numbersOf(output: string): number[] {
  if (/^ERR|^SLUICE/m.test(output)) throw new Error(output);
  return output.trim().split("\n").map(Number);
}

function commandLines(readme: string): string[] {
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.split("\n")).filter((line) => line.startsWith("redis-cli "));
}
