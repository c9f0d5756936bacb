import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";

/** A server on the loopback interface, and when each request reached it. */
export interface OtherSide {
  readonly url: string;
  readonly host: string;
  readonly reachedMs: readonly number[];
}

/** Starts a server for one test. It is told how many requests came before. */
export async function otherSide(
  answer: (before: number, ...call: Parameters<RequestListener>) => unknown,
): Promise<OtherSide> {
  const reachedMs: number[] = [];
  const server = createServer((...call) => answer(reachedMs.push(performance.now()) - 1, ...call));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const host = `127.0.0.1:${address.port}`;
  return { url: `http://${host}/`, host, reachedMs };
}

/** One that refuses its first request with these headers, and takes all others. */
export function refusingOnce(headers: Record<string, string>, status = 429): Promise<OtherSide> {
  return otherSide((before, _request, response) => {
    response.writeHead(before === 0 ? status : 200, before === 0 ? headers : {}).end(`answer ${before}`);
  });
}

/** All that a request has in its body. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
