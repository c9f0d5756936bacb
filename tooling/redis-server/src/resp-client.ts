import { connect, type Socket } from "node:net";
import { RedisReplyError } from "./resp.ts";

/** A reply with bulk strings as they came. */
export type RawReply = Buffer | string | number | null | RawReply[] | RedisReplyError;

/** A connection that stays open: the least that a store needs of a client, without installing one. */
export interface RespClient {
  /** Sends a command and resolves with its reply; rejects with the server's error. */
  send(command: string, args: readonly (string | Uint8Array)[]): Promise<RawReply>;
  close(): void;
}

interface Waiting {
  resolve(reply: RawReply): void;
  reject(error: Error): void;
}

/** Opens a connection; commands go out at once, replies come back in order. */
export async function connectResp(
  address: { host: string; port: number } | { path: string },
): Promise<RespClient> {
  const socket: Socket = connect(address);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    socket.once("error", reject);
  });
  socket.setNoDelay();
  const waiting: Waiting[] = [];
  let received: Buffer = Buffer.alloc(0);
  const fail = (error: Error): void => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    let start = 0;
    for (let parsed = parse(received, start); parsed !== undefined; parsed = parse(received, start)) {
      const [reply, end] = parsed;
      start = end;
      const next = waiting.shift();
      if (reply instanceof RedisReplyError) next?.reject(reply);
      else next?.resolve(reply);
    }
    received = received.subarray(start);
  });
  return {
    send(command, args) {
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        socket.write(encode([command, ...args]));
      });
    },
    close: () => socket.destroy(),
  };
}

function encode(parts: readonly (string | Uint8Array)[]): Buffer {
  const chunks: Uint8Array[] = [Buffer.from(`*${parts.length}\r\n`)];
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    chunks.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n"));
  }
  return Buffer.concat(chunks);
}

/** The reply that begins at `start` and where it ends; nothing while part of it is on the way. */
function parse(bytes: Buffer, start: number): [reply: RawReply, end: number] | undefined {
  const lineEnd = bytes.indexOf("\r\n", start);
  if (lineEnd === -1) return undefined;
  const line = bytes.toString("utf8", start + 1, lineEnd);
  const next = lineEnd + 2;
  switch (String.fromCharCode(bytes[start] ?? 0)) {
    case "+":
      return [line, next];
    case "-":
      return [new RedisReplyError(line), next];
    case ":":
      return [Number(line), next];
    case "$":
      return parseBulk(bytes, next, Number(line));
    case "*":
      return parseArray(bytes, next, Number(line));
    default:
      throw new Error(`not a reply: ${JSON.stringify(line)}`);
  }
}

function parseBulk(bytes: Buffer, start: number, length: number): [RawReply, number] | undefined {
  if (length === -1) return [null, start];
  const end = start + length;
  return bytes.length < end + 2 ? undefined : [bytes.subarray(start, end), end + 2];
}

function parseArray(bytes: Buffer, start: number, length: number): [RawReply, number] | undefined {
  if (length === -1) return [null, start];
  const items: RawReply[] = [];
  let end = start;
  while (items.length < length) {
    const parsed = parse(bytes, end);
    if (parsed === undefined) return undefined;
    items.push(parsed[0]);
    end = parsed[1];
  }
  return [items, end];
}
