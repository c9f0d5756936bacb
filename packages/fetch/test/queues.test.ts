import { leakyBucket, memoryStore } from "@sluice/leaky-bucket";
import { expect, it, vi } from "vitest";
import { limitedFetch } from "../src/index.js";

it("a request that sleeps until its slot heeds a hold that is set meanwhile, and takes another slot", async () => {
  const limiter = leakyBucket({
    name: "crawl",
    leak: { tokens: 1, every: 500 },
    capacity: 10,
    blockFor: "by-hand",
    store: memoryStore(),
  });
  const acquire = vi.spyOn(limiter, "acquire");
  const send = vi.fn(async () => new Response());
  const polite = limitedFetch(limiter, { key: "a", fetch: send });
  await polite("http://a/");
  const sleeping = [1, 2].map(() => polite("http://a/"));
  await vi.waitFor(async () => expect((await limiter.peek("a")).remaining).toBe(8));
  await limiter.block("a", "1h");
  // both have woken, and neither sends: they do not come both at once when the hold ends
  await vi.waitFor(() => expect(acquire).toHaveBeenCalledTimes(5), 5_000);
  expect(send).toHaveBeenCalledTimes(1);
  await limiter.unblock("a");
  await Promise.all(sleeping);
  expect(send).toHaveBeenCalledTimes(3);
});
