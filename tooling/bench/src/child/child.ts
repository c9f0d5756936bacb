import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A process that does as it is told, one order after the other. */
export class Child {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  /** Rejects when the process ends while something is expected of it. */
  readonly #lost: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "exit");
    this.#lost = this.#ended.then((ending) => {
      throw new Error(`a process of the benchmark ended by itself: ${JSON.stringify(ending)}`);
    });
    this.#lost.catch(() => {});
  }

  /** Starts a program that calls `obey`, and waits until it does. */
  static async start(program: string, args: readonly string[]): Promise<Child> {
    const child = new Child(fork(program, [...args], { execArgv: ["--expose-gc"] }));
    await child.#answer();
    return child;
  }

  /** What it answers to an order, which the program has to know. */
  async ask<Answer>(order: unknown): Promise<Answer> {
    const answer = this.#answer();
    this.#child.send({ order });
    return answer;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  async #answer() {
    const [message] = await Promise.race([once(this.#child, "message"), this.#lost]);
    if (message.error !== undefined) throw new Error(message.error);
    return message.answer;
  }
}
