import type { RedisConnection } from "../src/redis-connection.js";

/** What becomes of one command: `pass` sends it on. */
export type Fault = (pass: () => Promise<unknown>) => Promise<unknown>;

/** A connection whose faults a test decides, one command each. */
export interface FaultyConnection extends RedisConnection {
  /** The names of the commands so far. */
  readonly sent: readonly string[];
  /** What becomes of the next commands; all after them pass. */
  readonly faults: Fault[];
}

/** Puts faults before a connection. Without any it passes everything on, and tells what was sent. */
export function faultyConnection(connection: RedisConnection): FaultyConnection {
  const sent: string[] = [];
  const faults: Fault[] = [];
  return {
    sent,
    faults,
    send(command, args, key) {
      sent.push(command);
      const pass = (): Promise<unknown> => connection.send(command, args, key);
      const fault = faults.shift();
      return fault === undefined ? pass() : fault(pass);
    },
  };
}

/** The server refuses the command: nothing is executed. */
export const refused: Fault = async () => {
  throw new Error("READONLY You can't write against a read only replica.");
};

/** The command is executed, but the connection breaks before the reply. */
export const replyLost: Fault = async (pass) => {
  await pass();
  throw new Error("Connection is closed.");
};

/** A gate that holds something up until it is opened. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
