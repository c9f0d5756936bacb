import { setTimeout as sleep } from "node:timers/promises";
import { type ArgumentsHost, Catch, Controller, type ExceptionFilter, Get, Module } from "@nestjs/common";
import { RateLimitedException, RateLimitModule } from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { platforms, start } from "./apps.ts";
import { bucket } from "./ask.ts";

interface AnyResponse {
  status(status: number): { send(body: unknown): unknown };
}

@Controller()
class Root {
  @Get()
  root(): string {
    return "root";
  }
}

describe.each(platforms)("an exception filter of the application on $name", ({ create }) => {
  it("answers in its own words, and the headers are there", async () => {
    @Catch(RateLimitedException)
    class Filter implements ExceptionFilter {
      catch({ decision, details }: RateLimitedException, host: ArgumentsHost): void {
        const response = host.switchToHttp().getResponse<AnyResponse>();
        response.status(420).send({ calm: details.title, name: decision?.name });
      }
    }

    @Module({
      imports: [RateLimitModule.forRoot({ limiter: bucket("api", 0), key: "all" })],
      controllers: [Root],
    })
    class AppModule {}

    await using app = await start(AppModule, create(), (app) => app.useGlobalFilters(new Filter()));
    const response = await fetch(app.url);
    expect([response.status, await response.json()]).toEqual([420, { calm: "Quota Exceeded", name: "api" }]);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("ratelimit")).toBe('"api";r=0;t=0');
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("that sends the response of the exception, or adds to it, sends the details, whatever the body", async () => {
    @Catch(RateLimitedException)
    class Filter implements ExceptionFilter {
      catch(exception: RateLimitedException, host: ArgumentsHost): void {
        const response = host.switchToHttp().getResponse<AnyResponse>();
        const details = Object(exception.getResponse());
        response.status(exception.getStatus()).send([details, { ...details, path: "/" }]);
      }
    }

    @Module({
      imports: [RateLimitModule.forRoot({ limiter: bucket("api", 0), key: "all", body: "text" })],
      controllers: [Root],
    })
    class AppModule {}

    await using app = await start(AppModule, create(), (app) => app.useGlobalFilters(new Filter()));
    const details = {
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota Exceeded",
      status: 429,
      detail: 'The limit "api" does not allow this request. It asks for more than can ever be given.',
      "violated-policies": ["api"],
    };
    const response = await fetch(app.url);
    expect(await response.json()).toEqual([details, { ...details, path: "/" }]);
  });

  it("hears nothing of a client that leaves while it is held", async () => {
    const heard: unknown[] = [];

    @Catch()
    class Filter implements ExceptionFilter {
      catch(exception: unknown): void {
        heard.push(exception);
      }
    }

    let waiting = 0;
    const own = bucket("queue", 5);
    const limiter = {
      name: "queue",
      consume: async () => {
        waiting += 1;
        return { ...(await own.consume("a")), delayMs: 60_000 };
      },
      refund: async () => {
        waiting -= 1;
      },
    };
    @Module({ imports: [RateLimitModule.forRoot({ limiter, key: "all" })], controllers: [Root] })
    class AppModule {}

    await using app = await start(AppModule, create(), (app) => app.useGlobalFilters(new Filter()));
    const leaving = new AbortController();
    const left = fetch(app.url, { signal: leaving.signal }).catch(() => "left");
    while (waiting === 0) await sleep(5);
    leaving.abort();
    expect(await left).toBe("left");
    while (waiting > 0) await sleep(5);
    await sleep(20);
    expect(heard).toEqual([]);
  });
});

describe("RateLimitedException", () => {
  it("is an exception of HTTP that says what happened", async () => {
    const decision = await bucket("api", 0).consume("a");
    const details = {
      type: "t",
      title: "Title",
      status: 429,
      detail: "Detail.",
      "violated-policies": ["api"],
    } as const;
    const exception = new RateLimitedException({
      decision,
      refusal: { status: 429, headers: [], body: "", details: { ...details, "violated-policies": ["api"] } },
    });
    expect([exception.name, exception.message, exception.getStatus()]).toEqual([
      "RateLimitedException",
      "Detail.",
      429,
    ]);
    expect(exception.getResponse()).toEqual(details);
    expect(JSON.parse(JSON.stringify(exception.getResponse()))).toEqual(details);
    expect(exception.decision).toBe(decision);
  });
});
