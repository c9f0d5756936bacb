import { createServer } from "node:http";
import { rateLimit } from "@sluice/express";
import { type Adapter, forArgs, listen, proveAdapter, type Reply, type Seen } from "@sluice/http-proof";
import express, { type ErrorRequestHandler, type Request, type Response } from "express";
import express4 from "express-4";

const seen = (request: Request): Seen => ({ method: request.method, header: (name) => request.get(name) });

function send(response: Response, { status, text }: Reply): void {
  if (!response.headersSent) response.status(status).send(text);
}

const adapter = (name: string, createApp: () => express.Express): Adapter => ({
  name,
  canSendEarly: true,
  serve({ limits, handle, sendsEarly, onError }) {
    const app = createApp();
    // or the error path of express prints what was thrown
    app.set("env", "test");
    if (sendsEarly) {
      app.use((_request, response, next) => {
        response.end("early");
        next();
      });
    }
    for (const { onLimited, ...options } of limits) {
      const own = forArgs(options, seen);
      app.use(
        onLimited === undefined
          ? rateLimit(own)
          : rateLimit({
              ...own,
              onLimited: (request, response, _next, decision) =>
                send(response, onLimited(seen(request), decision)),
            }),
      );
    }
    app.use(async (request, response, next) => {
      // express 4 does not wait for handlers
      try {
        send(response, await handle(seen(request), request));
      } catch (error) {
        next(error);
      }
    });
    const watch: ErrorRequestHandler = (error, _request, _response, next) => {
      onError(error);
      next(error);
    };
    app.use(watch);
    return listen(createServer(app));
  },
});

proveAdapter(adapter("express 5", express));
proveAdapter(adapter("express 4", express4));
