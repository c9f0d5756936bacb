// A crawler that is polite to each host: four requests a second, evenly spaced, and silence for as long as a host asks for.
// The two hosts are servers that it starts itself. With REDIS_URL, any number of crawlers share the pace.
//
//   pnpm example crawler
import { createServer, type Server } from "node:http";
import { limitedFetch } from "@sluice/fetch";
import { leakyBucket } from "@sluice/leaky-bucket";
import { type OpenStore, openStore } from "./open-store.ts";
import { narrate } from "./print.ts";

const PAGES = ["/", "/about", "/news", "/contact"];
const startMs = performance.now();

function tell(text: string): void {
  console.log(`  ${Math.round(performance.now() - startMs)} ms`.padEnd(12), text);
}

/** Serves pages; the host that is busy refuses its third request for a second. */
async function startHost(isBusy: boolean): Promise<{ server: Server; host: string }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (isBusy && requests === 3) response.writeHead(429, { "retry-after": "1" });
    response.end(`the page ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { server, host: `127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
}

async function crawl({ store }: OpenStore, hosts: readonly string[]): Promise<void> {
  const leak = { tokens: 4, every: "1s" };
  const perHost = leakyBucket({ name: "crawler", leak, capacity: 1_000, blockFor: "by-hand", store });
  const politely = limitedFetch(perHost, { key: (url) => url.host, maxWaitMs: 60_000 });

  async function visit(url: URL): Promise<void> {
    const response = await politely(url);
    tell(`${response.status} ${url.host}${url.pathname}: ${await response.text()}`);
    // By now its host is held, so the next attempt waits for as long as it has asked for.
    if (response.status === 429) await visit(url);
  }

  narrate("Four pages of each of two hosts, all asked for at once.");
  const urls = hosts.flatMap((host) => PAGES.map((page) => new URL(`http://${host}${page}`)));
  await Promise.all(urls.map(visit));
  narrate("Each host had its own pace, and the one that was busy its second of rest.");
}

try {
  const opened = await openStore(process.env.REDIS_URL);
  const hosts = await Promise.all([startHost(false), startHost(true)]);
  try {
    await crawl(
      opened,
      hosts.map(({ host }) => host),
    );
  } finally {
    opened.close();
    for (const { server } of hosts) server.close().closeAllConnections();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
