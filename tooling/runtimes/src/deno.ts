import { createApp } from "./app.ts";
import { startNodeListener } from "./node-listener.ts";

/** As much of Deno as is needed. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(address: { port: number }): void },
    handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Promise<Response>,
  ): unknown;
};

const app = createApp();
const node = await startNodeListener();
Deno.serve(
  {
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(JSON.stringify([`http://127.0.0.1:${port}/`, node])),
  },
  (request, { remoteAddr }) => app(request, { remoteAddress: remoteAddr.hostname }),
);
