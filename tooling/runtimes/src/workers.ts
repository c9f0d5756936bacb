import { createApp } from "./app.ts";

const app = createApp({ trustedHops: 1, header: "cf-connecting-ip" });

const worker = { fetch: (request: Request): Promise<Response> => app(request, {}) };

// biome-ignore lint/style/noDefaultExport: what Workers look for
export { worker as default };
