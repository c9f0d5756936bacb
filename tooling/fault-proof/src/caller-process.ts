import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Accounts } from "./account.ts";
import type { Round } from "./demands.ts";
import type { Memory, Order, Used } from "./orders.ts";

/** How a process ended, and what it had to complain of. */
export interface Ending {
  readonly code: number | null;
  readonly stderr: string;
}

const ENDS_WITHIN_MS = 10_000;

/** Callers in a process of their own. */
export class CallerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ending>;
  /** Rejects when the process ends while something is expected of it. */
  readonly #lost: Promise<never>;

  private constructor(child: ChildProcess, stderr: Readable) {
    this.#child = child;
    let complaints = "";
    stderr.setEncoding("utf8").on("data", (text) => {
      complaints += text;
    });
    // "close" would say both, but does not come where it was this side that disconnected
    const ended = Promise.all([once(child, "exit"), once(stderr, "close")]);
    this.#ended = ended.then(([[code]]) => ({ code, stderr: complaints }));
    this.#lost = this.#ended.then((ending) => {
      throw new Error(`callers ended by themselves: ${JSON.stringify(ending)}`);
    });
    this.#lost.catch(() => {});
  }

  /** Starts a program that calls `obeyOrders`, and waits until it is connected to `port`. */
  static async start(program: string, port: number, args: readonly string[]): Promise<CallerProcess> {
    const child = fork(program, [String(port), ...args], {
      execArgv: ["--expose-gc"],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    if (child.stderr === null) throw new TypeError("a process without the pipe that was asked for");
    const started = new CallerProcess(child, child.stderr);
    await started.#answer();
    return started;
  }

  async begin(round: Round): Promise<void> {
    await this.#order({ do: "begin", round });
  }

  /** Whether from now on each of its callers gets a decision within `withinMs`. */
  async answersEverybody(withinMs: number): Promise<boolean> {
    return this.#order({ do: "tell when answered", withinMs });
  }

  /** Ends the load, and resolves with what has come of it. */
  async stop(): Promise<Accounts> {
    return this.#order({ do: "stop" });
  }

  /** What the store counts. */
  async look(round: Round): Promise<Used> {
    return this.#order({ do: "look", round });
  }

  /** Forgets the load that is over, and tells what is left. */
  async weigh(): Promise<Memory> {
    return this.#order({ do: "weigh" });
  }

  /** Lets go of the process, which has to end by itself then. */
  async release(): Promise<Ending> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), ENDS_WITHIN_MS);
    const ending = await this.#ended;
    clearTimeout(timer);
    return ending;
  }

  /** One at a time: answers come in no other order than orders. */
  async #order<Answer>(order: Order): Promise<Answer> {
    const answer = this.#answer<Answer>();
    this.#child.send(order);
    return answer;
  }

  async #answer<Answer>(): Promise<Answer> {
    const [answer] = await Promise.race([once(this.#child, "message"), this.#lost]);
    return answer;
  }
}
