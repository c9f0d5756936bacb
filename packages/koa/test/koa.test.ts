import { createServer } from "node:http";
import { type Adapter, forArgs, listen, proveAdapter, type Reply, type Seen } from "@sluice/http-proof";
import { rateLimit } from "@sluice/koa";
import Koa, { type ParameterizedContext } from "koa";
import Koa2 from "koa-2";

const seen = (context: ParameterizedContext): Seen => ({
  method: context.method,
  header: (name) => context.get(name) || undefined,
});

function send(context: ParameterizedContext, { status, text }: Reply): void {
  if (context.headerSent) return;
  context.status = status;
  context.body = text;
}

const adapter = (name: string, createApp: () => Koa): Adapter => ({
  name,
  canSendEarly: true,
  serve({ limits, handle, sendsEarly, onError }) {
    const app = createApp();
    app.on("error", onError);
    if (sendsEarly) {
      app.use((context, next) => {
        context.res.writeHead(200).end("early");
        return next();
      });
    }
    for (const { onLimited, ...options } of limits) {
      app.use(
        rateLimit({
          ...forArgs(options, seen),
          onLimited:
            onLimited && ((context, _next, decision) => send(context, onLimited(seen(context), decision))),
        }),
      );
    }
    app.use(async (context) => send(context, await handle(seen(context), context)));
    return listen(createServer(app.callback()));
  },
});

proveAdapter(adapter("koa 3", () => new Koa()));
proveAdapter(adapter("koa 2", () => new Koa2()));
