import { connect } from "node:net";

/** A reply as Redis sends it to a client of protocol 2. */
export type Reply = string | number | null | Reply[];

/** Where a server listens, and what it asks of those who connect. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly password?: string | undefined;
}

/** The server answered with an error. */
export class RedisReplyError extends Error {
  override name = "RedisReplyError";
}

/**
 * Sends one command on a connection of its own and returns the reply: all that starting a server needs of a
 * client, so that no client has to be installed.
 *
 * @param timeoutMs how long to wait for the whole, in milliseconds
 */
export async function sendCommand(
  { host, port, password }: ServerAddress,
  args: readonly string[],
  timeoutMs = 5_000,
): Promise<Reply> {
  const commands = password === undefined ? [args] : [["AUTH", password], args];
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = "";
    const finish = (settle: () => void): void => {
      socket.destroy();
      settle();
    };
    // One byte a character, so that the lengths in the protocol are lengths of the string.
    socket.setEncoding("latin1");
    socket.setTimeout(timeoutMs, () => finish(() => reject(new Error(`no reply within ${timeoutMs} ms`))));
    socket.on("error", (error) => finish(() => reject(error)));
    socket.on("close", () => reject(new Error("the connection was closed before the reply")));
    socket.on("data", (chunk) => {
      received += String(chunk);
      try {
        const replies = parseReplies(received, commands.length);
        if (replies !== undefined) finish(() => resolve(replies.at(-1) ?? null));
      } catch (error) {
        finish(() => reject(error));
      }
    });
    socket.write(commands.map(encodeCommand).join(""));
  });
}

function encodeCommand(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join("")}`;
}

/** The first `count` replies, or nothing while some are still on the way. */
function parseReplies(text: string, count: number): Reply[] | undefined {
  const parsed = parseArray(text, 0, count);
  return Array.isArray(parsed?.reply) ? parsed.reply : undefined;
}

interface Parsed {
  reply: Reply;
  end: number;
}

/** The reply that begins at `start`, or nothing while part of it is still on the way. */
function parseReply(text: string, start: number): Parsed | undefined {
  const lineEnd = text.indexOf("\r\n", start);
  if (lineEnd === -1) return undefined;
  const line = text.slice(start + 1, lineEnd);
  const next = lineEnd + 2;
  switch (text[start]) {
    case "+":
      return { reply: line, end: next };
    case "-":
      throw new RedisReplyError(line);
    case ":":
      return { reply: Number(line), end: next };
    case "$":
      return parseBulk(text, next, Number(line));
    case "*":
      return parseArray(text, next, Number(line));
    default:
      throw new Error(`not a reply: ${JSON.stringify(line)}`);
  }
}

function parseBulk(text: string, start: number, length: number): Parsed | undefined {
  if (length === -1) return { reply: null, end: start };
  const end = start + length;
  if (text.length < end + 2) return undefined;
  return { reply: Buffer.from(text.slice(start, end), "latin1").toString("utf8"), end: end + 2 };
}

function parseArray(text: string, start: number, length: number): Parsed | undefined {
  if (length === -1) return { reply: null, end: start };
  const items: Reply[] = [];
  let end = start;
  while (items.length < length) {
    const item = parseReply(text, end);
    if (item === undefined) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
