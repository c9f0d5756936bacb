import { rateLimit } from "@sluice/fastify";
import { type Adapter, forArgs, proveAdapter, type Seen } from "@sluice/http-proof";
import fastify, { type FastifyRequest } from "fastify";

const seen = ({ method, headers }: FastifyRequest): Seen => ({
  method,
  header: (name) => headers[name]?.toString(),
});

const adapter: Adapter = {
  name: "fastify",
  canSendEarly: true,
  async serve({ limits, handle, sendsEarly, onError }) {
    const app = fastify();
    app.addHook("onError", async (_request, _reply, error) => onError(error));
    if (sendsEarly) app.addHook("onRequest", async (_request, reply) => void reply.raw.end("early"));
    for (const { onLimited, ...options } of limits) {
      const own = forArgs(options, seen);
      await app.register(
        rateLimit,
        onLimited === undefined
          ? own
          : {
              ...own,
              onLimited(request, reply, decision) {
                const { status, text } = onLimited(seen(request), decision);
                reply.code(status).send(text);
              },
            },
      );
    }
    app.all("/", async (request, reply) => {
      const { status, text } = await handle(seen(request), request);
      return reply.code(status).send(text);
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    return {
      url: `${url}/`,
      async [Symbol.asyncDispose]() {
        app.server.closeAllConnections();
        await app.close();
      },
    };
  },
};

proveAdapter(adapter);
