import { createApp } from "./app.ts";
import { startNodeListener } from "./node-listener.ts";

/** As much of Bun as is needed. */
declare const Bun: {
  serve(options: { port: number; hostname: string; fetch(request: Request): Promise<Response> }): Server;
};
interface Server {
  readonly url: URL;
  requestIP(request: Request): { readonly address: string } | null;
}

const app = createApp();
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => app(request, { remoteAddress: server.requestIP(request)?.address }),
});
console.log(JSON.stringify([server.url.href, await startNodeListener()]));
