import { InvalidKeyError, InvalidPolicyError, StoreError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { bucket, serve } from "./asking.ts";
import type { Adapter, OwnOptions } from "./route.ts";

/** What fails beside the limits. */
export function proveErrors(adapter: Adapter): void {
  describe("an error", () => {
    it.each(["thrown", "rejected"])("%s by the handler stays its own: 500, with the headers", async (how) => {
      const error = new Error("broken");
      await using server = await serve(adapter, { limiter: bucket(3), key: "a" }, () => {
        if (how === "thrown") throw error;
        return Promise.reject(error);
      });
      const { status, headers } = await server.ask();
      expect([status, headers.get("ratelimit")]).toEqual([500, '"api";r=2;t=20']);
      expect(headers.get("ratelimit-policy")).toBe('"api";q=3;w=60');
      expect([server.runs(), server.errors]).toEqual([1, [error]]);
    });

    it.each([400, 404, 503])("that the handler answers itself, %i, has the headers", async (own) => {
      await using server = await serve(adapter, { limiter: bucket(3), key: "a" }, () => ({
        status: own,
        text: "its own",
      }));
      const { status, text, headers } = await server.ask();
      expect([status, text, headers.get("ratelimit")]).toEqual([own, "its own", '"api";r=2;t=20']);
    });

    it.each(["key", "cost", "reserve", "skip"])(
      "of the function %s comes to the error path, once",
      async (option) => {
        const error = new StoreError("no session", { mayHaveCounted: false });
        const fails = (): never => {
          throw error;
        };
        const options = { limiter: bucket(3), key: "a", onStoreFailure: "allow", [option]: fails } as const;
        await using server = await serve(adapter, options);
        const { status, headers } = await server.ask();
        expect([status, headers.has("ratelimit")]).toEqual([500, false]);
        expect([server.runs(), server.errors]).toEqual([0, [error]]);
      },
    );

    it.each([undefined, null, "route", 0])("that is %j lets nothing pass either", async (thrown) => {
      const key = async (): Promise<string> => {
        throw thrown;
      };
      await using server = await serve(adapter, { limiter: bucket(3), key });
      expect((await server.ask()).status).toBe(500);
      expect([server.runs(), server.errors.length]).toEqual([0, 1]);
    });

    it("is what a plan without a limiter is, and lets nothing pass", async () => {
      const limiters: Record<string, ReturnType<typeof bucket>> = {};
      // @ts-expect-error there may be none
      const options: OwnOptions = { limiter: (seen) => limiters[seen.method], key: "a" };
      await using server = await serve(adapter, options);
      expect((await server.ask()).status).toBe(500);
      expect([server.runs(), server.errors]).toEqual([0, [expect.any(InvalidPolicyError)]]);
    });

    it("is what a key of the wrong kind is, and lets nothing pass", async () => {
      await using server = await serve(adapter, {
        limiter: bucket(3),
        key: (seen) => seen.header("x-user") ?? "",
      });
      expect((await server.ask()).status).toBe(500);
      expect([server.runs(), server.errors]).toEqual([0, [expect.any(InvalidKeyError)]]);
    });
  });

  describe.runIf(adapter.canSendEarly)("a response that was sent already", () => {
    it.each([
      ["allowed", 3],
      ["denied", 0],
    ])("stays as it is where the request is %s, and nothing is thrown", async (_, capacity) => {
      const refundWhen = (): boolean => true;
      const options = { limiter: bucket(capacity), key: "a", refundWhen };
      await using server = await serve(adapter, options, undefined, { sendsEarly: true });
      const { status, text, headers } = await server.ask();
      expect([status, text, headers.has("ratelimit")]).toEqual([200, "early", false]);
      expect((await server.ask()).text).toBe("early");
      expect(server.errors).toEqual([]);
      if (capacity === 0) expect(server.runs()).toBe(0);
    });
  });
}
