import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { rateLimit } from "@sluice/http/node";
import { type Adapter, forArgs, listen, proveAdapter, type Reply, type Seen } from "../src/index.ts";

const seen = (request: IncomingMessage): Seen => ({
  method: request.method ?? "",
  header: (name) => request.headersDistinct[name]?.join(", "),
});

function send(response: ServerResponse, { status, text }: Reply): void {
  if (response.headersSent) return;
  response.statusCode = status;
  response.end(text);
}

const node: Adapter = {
  name: "a listener of Node's own server",
  canSendEarly: true,
  serve({ limits, handle, sendsEarly, onError }) {
    const handler = async (request: IncomingMessage, response: ServerResponse): Promise<void> =>
      send(response, await handle(seen(request), request));
    const limited = limits.reduceRight((listener, options) => {
      const { onLimited } = options;
      return rateLimit({
        ...forArgs(options, seen),
        onLimited:
          onLimited && ((request, response, decision) => send(response, onLimited(seen(request), decision))),
      })(listener);
    }, handler);
    return listen(
      createServer((request, response) => {
        if (sendsEarly) response.end("early");
        limited(request, response).catch((error: unknown) => {
          onError(error);
          send(response, { status: 500, text: "broken" });
        });
      }),
    );
  },
};

proveAdapter(node);
