import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { rateLimit } from "@sluice/hono";
import { type Adapter, forArgs, listen, proveAdapter, type Seen } from "@sluice/http-proof";
import { type Context, Hono } from "hono";

const seen = ({ req }: Context): Seen => ({ method: req.method, header: (name) => req.header(name) });

const hono: Adapter = {
  name: "hono",
  canSendEarly: false,
  serve({ limits, handle, onError }) {
    const app = new Hono();
    for (const { onLimited, ...options } of limits) {
      const answer =
        onLimited &&
        ((context: Context, decision: Parameters<typeof onLimited>[1]) => {
          const { status, text } = onLimited(seen(context), decision);
          return new Response(text, { status });
        });
      app.use(
        rateLimit({
          ...forArgs(options, seen),
          onLimited: answer && ((context, _next, decision) => answer(context, decision)),
        }),
      );
    }
    app.all("*", async (context) => {
      const { status, text } = await handle(seen(context), context);
      return new Response(text, { status });
    });
    app.onError((error, context) => {
      onError(error);
      return context.text("broken", 500);
    });
    return listen(createServer(getRequestListener(app.fetch)));
  },
};

proveAdapter(hono);
