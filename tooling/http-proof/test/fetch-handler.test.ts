import { createServer } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { rateLimit } from "@sluice/http";
import { type Adapter, forArgs, listen, proveAdapter, type Reply, type Seen } from "../src/index.ts";

const seen = (request: Request): Seen => ({
  method: request.method,
  header: (name) => request.headers.get(name) ?? undefined,
});
const responseOf = ({ status, text }: Reply): Response => new Response(text, { status });

const fetchHandler: Adapter = {
  name: "a fetch handler",
  canSendEarly: false,
  serve({ limits, handle, onError }) {
    const handler = async (request: Request): Promise<Response> =>
      responseOf(await handle(seen(request), request));
    const broken = (error: unknown): Response => {
      onError(error);
      return responseOf({ status: 500, text: "broken" });
    };
    // a fetch handler that throws has no response, so what it throws becomes one before headers can be added
    const limited = limits.reduceRight(
      (inner, options) => {
        const { onLimited } = options;
        return rateLimit<string, readonly unknown[]>({
          ...forArgs(options, seen),
          onLimited: onLimited && ((request, decision) => responseOf(onLimited(seen(request), decision))),
        })(inner);
      },
      (request: Request) => handler(request).catch(broken),
    );
    return listen(createServer(createRequestListener((request) => limited(request).catch(broken))));
  },
};

proveAdapter(fetchHandler);
