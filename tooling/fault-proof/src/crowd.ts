import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type FaultProxy, startProxy } from "@sluice/fault-proxy";
import { debugArgs, type RedisServer, startRedis } from "@sluice/redis-server";
import { type Bundle, bundle } from "@sluice/run-alone";
import { type Accounts, sumOf } from "./account.ts";
import { CallerProcess, type Ending } from "./caller-process.ts";
import type { Round } from "./demands.ts";
import type { Ground } from "./fault.ts";
import type { Memory } from "./orders.ts";
import { type Tally, tallyOf } from "./tally.ts";

/** A program that calls `obeyOrders` of `@sluice/fault-proof/callers`. */
export interface Program {
  readonly path: URL;
  /** What it is told, such as which library it is to use. */
  readonly args: readonly string[];
  /** Why its client does not always find its way back by itself. It does once its connection breaks again. */
  readonly strands?: string;
}

/** What a round has led to. */
export interface Outcome {
  readonly accounts: Accounts;
  readonly tally: Tally;
  /** How long it took until all callers got decisions again, but for those on a client that strands. */
  readonly backAfterMs: number | undefined;
}

/** So that a server that is killed forgets nothing that it has told anybody. */
const FORGETS_NOTHING = ["--appendonly", "yes", "--appendfsync", "always"];
const HEALTHY_MS = 300;
const BACK_WITHIN_MS = 15_000;
const STRANDED_AFTER_MS = 1_500;

/** Callers in several processes, who share one server through one proxy. */
export class Crowd {
  readonly #server: RedisServer;
  readonly #proxy: FaultProxy;
  readonly #processes: readonly CallerProcess[];
  readonly #stranding: ReadonlySet<CallerProcess>;
  /** Calls for nobody, and is connected to the server itself. */
  readonly #auditor: CallerProcess;
  #endings: Promise<Ending[]> | undefined;

  private constructor(
    ground: Ground,
    processes: readonly CallerProcess[],
    stranding: readonly CallerProcess[],
    auditor: CallerProcess,
  ) {
    this.#server = ground.server;
    this.#proxy = ground.proxy;
    this.#processes = processes;
    this.#stranding = new Set(stranding);
    this.#auditor = auditor;
  }

  /** Starts a server, a proxy, and a process for each of `programs`. */
  static async gather(programs: readonly [Program, ...Program[]]): Promise<Crowd> {
    const server = await startRedis({ args: [...FORGETS_NOTHING, ...(await debugArgs())] });
    const proxy = await startProxy(server);
    const bundles = new Map<string, Promise<Bundle>>();
    const start = async ({ path, args }: Program, port: number): Promise<CallerProcess> => {
      const bundled = bundles.get(path.href) ?? bundle(fileURLToPath(path));
      bundles.set(path.href, bundled);
      return CallerProcess.start((await bundled).program, port, args);
    };
    try {
      const [auditor, ...processes] = await Promise.all([
        start(programs[0], server.port),
        ...programs.map((program) => start(program, proxy.port)),
      ]);
      const stranding = processes.filter((_, index) => programs[index]?.strands !== undefined);
      return new Crowd({ server, proxy }, processes, stranding, auditor);
    } finally {
      // a program that runs has been read
      for (const bundled of bundles.values()) await (await bundled).remove();
    }
  }

  /** Keeps everybody calling while something happens and until all are served again, and reckons up. */
  async live(round: Round, happen: (ground: Ground) => Promise<void>): Promise<Outcome> {
    await this.#each((callers) => callers.begin(round));
    if (!(await this.#answersEverybody(this.#processes)))
      throw new Error("some were not served to begin with");
    await sleep(HEALTHY_MS);
    await happen({ server: this.#server, proxy: this.#proxy });
    const backAfterMs = await this.#waitForReturn();
    const accounts = sumOf(await this.#each((callers) => callers.stop()));
    const tally = tallyOf(accounts, await this.#auditor.look(round), round.scarce);
    return { accounts, tally, backAfterMs };
  }

  /** What each process holds between two rounds, in the order of the programs. */
  async weigh(): Promise<Memory[]> {
    return this.#each((callers) => callers.weigh());
  }

  /** Ends everything; resolves with how the processes did, however often it is called. */
  disperse(): Promise<Ending[]> {
    this.#endings ??= this.#end();
    return this.#endings;
  }

  async #end(): Promise<Ending[]> {
    const everybody = [...this.#processes, this.#auditor];
    const endings = await Promise.all(everybody.map((callers) => callers.release()));
    await this.#proxy.stop();
    await this.#server.stop();
    return endings;
  }

  /** How long it takes. Once all others are back, whoever is stranded is helped. */
  async #waitForReturn(): Promise<number | undefined> {
    const startMs = performance.now();
    const returning = this.#processes.filter((callers) => !this.#stranding.has(callers));
    const areBack = await this.#answersEverybody(returning);
    const tookMs = performance.now() - startMs;
    for (const callers of this.#stranding) {
      while (!(await callers.answersEverybody(STRANDED_AFTER_MS))) this.#proxy.cut();
    }
    return areBack ? tookMs : undefined;
  }

  async #answersEverybody(processes: readonly CallerProcess[]): Promise<boolean> {
    const areAnswered = await Promise.all(
      processes.map((callers) => callers.answersEverybody(BACK_WITHIN_MS)),
    );
    return !areAnswered.includes(false);
  }

  async #each<T>(work: (callers: CallerProcess) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#processes.map(work));
  }
}
