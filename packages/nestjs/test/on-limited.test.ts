import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Module,
  Req,
} from "@nestjs/common";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { InvalidPolicyError } from "@sluice/core";
import { type HttpRequest, RateLimitModule, type RateLimitOptions } from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { type Platform, platforms, type Running, start } from "./apps.ts";
import { bucket } from "./ask.ts";

/** What the responses of both platforms have. */
interface AnyResponse {
  readonly raw?: ServerResponse;
  status(status: number): AnyResponse;
  send(text: string): AnyResponse;
}

const responseOf = (context: ExecutionContext): AnyResponse =>
  context.switchToHttp().getResponse<AnyResponse>();

/** What the handler and the exception filters have seen. */
interface Heard {
  readonly handled: HttpRequest[];
  readonly thrown: unknown[];
}

/** An application that denies all requests. */
async function deny(
  onLimited: RateLimitOptions["onLimited"],
  adapter: ReturnType<Platform["create"]>,
): Promise<{ app: Running; heard: Heard }> {
  const heard: Heard = { handled: [], thrown: [] };

  @Controller()
  class Root {
    @Get()
    root(@Req() request: HttpRequest): string {
      heard.handled.push(request);
      return "less";
    }
  }

  @Catch()
  class Filter implements ExceptionFilter {
    catch(exception: unknown, host: ArgumentsHost): void {
      heard.thrown.push(exception);
      host.switchToHttp().getResponse<AnyResponse>().status(500).send("failed");
    }
  }

  @Module({
    imports: [RateLimitModule.forRoot({ limiter: bucket("api", 0), key: "all", onLimited })],
    controllers: [Root],
  })
  class AppModule {}

  return { app: await start(AppModule, adapter, (app) => app.useGlobalFilters(new Filter())), heard };
}

async function askRoot(url: string): Promise<unknown[]> {
  const response = await fetch(url);
  return [response.status, await response.text(), response.headers.get("ratelimit")];
}

const HEADER = '"api";r=0;t=0';

describe.each(platforms)("onLimited on $name", ({ create }) => {
  it("that returns nothing lets the handler run, with less", async () => {
    const poor: HttpRequest[] = [];
    const { app, heard } = await deny((request) => void poor.push(request), create());
    await using _ = app;
    expect(await askRoot(app.url)).toEqual([200, "less", HEADER]);
    expect(heard).toEqual({ handled: poor, thrown: [] });
  });

  it.each<[how: string, RateLimitOptions["onLimited"]]>([
    ["at once", (_, context) => void responseOf(context).status(418).send("sent")],
    ["and returns the response", (_, context) => responseOf(context).status(418).send("sent")],
    [
      "later",
      async (_, context) => {
        await sleep(5);
        responseOf(context).status(418).send("sent");
      },
    ],
  ])("that sends the response %s keeps the handler away, and nothing has failed", async (_, onLimited) => {
    const { app, heard } = await deny(onLimited, create());
    await using __ = app;
    expect(await askRoot(app.url)).toEqual([418, "sent", HEADER]);
    expect(await askRoot(app.url)).toEqual([418, "sent", HEADER]);
    expect(heard).toEqual({ handled: [], thrown: [] });
  });

  it("that writes to the response of Node keeps the handler away", async () => {
    const { app, heard } = await deny((_, context) => {
      const response = responseOf(context);
      const raw = response.raw ?? response;
      if ("writeHead" in raw && typeof raw.writeHead === "function") raw.writeHead(418).end("sent");
    }, create());
    await using _ = app;
    expect(await askRoot(app.url)).toEqual([418, "sent", HEADER]);
    expect(heard).toEqual({ handled: [], thrown: [] });
  });

  it.each<[what: string, RateLimitOptions["onLimited"]]>([
    ["an object", () => ({ from: "cache" })],
    ["a promise of one", async () => ({ from: "cache" })],
    ["false", () => false],
    ["the response, without sending it", (_, context) => responseOf(context).status(418)],
  ])("that returns %s is refused, as it would be lost", async (_, onLimited) => {
    const { app, heard } = await deny(onLimited, create());
    await using __ = app;
    expect((await askRoot(app.url))[0]).toBe(500);
    expect(heard).toEqual({ handled: [], thrown: [expect.any(InvalidPolicyError)] });
    expect(String(heard.thrown[0])).toMatch(/onLimited must return nothing/);
  });

  it("leaves the methods of the response as they were", async () => {
    const responses: AnyResponse[] = [];
    const { app } = await deny((_, context) => void responses.push(responseOf(context)), create());
    await using _ = app;
    await askRoot(app.url);
    expect(responses.map(Object.getOwnPropertyNames)).toEqual([expect.not.arrayContaining(["send"])]);
  });
});

describe("onLimited on Fastify", () => {
  it("that sends a reply which a hook holds keeps the handler away", async () => {
    const adapter = new FastifyAdapter();
    adapter.getInstance().addHook("onSend", async () => {
      await sleep(20);
    });
    const { app, heard } = await deny(
      (_, context) => void responseOf(context).status(418).send("sent"),
      adapter,
    );
    await using _ = app;
    expect(await askRoot(app.url)).toEqual([418, "sent", HEADER]);
    expect(heard).toEqual({ handled: [], thrown: [] });
  });
});
