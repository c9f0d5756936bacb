import { Controller, Get, Module, type Type } from "@nestjs/common";
import { RateLimit, RateLimitModule, SkipRateLimit } from "@sluice/nestjs";
import { describe, expect, it } from "vitest";
import { start } from "./apps.ts";
import { ask, bucket } from "./ask.ts";

async function answers(controller: Type, paths: readonly string[]): Promise<string[]> {
  @Module({
    imports: [RateLimitModule.forRoot({ limiter: bucket("api", 6), key: "all" })],
    controllers: [controller],
  })
  class AppModule {}

  await using app = await start(AppModule);
  const all: string[] = [];
  for (const path of paths) all.push(await ask(app.url + path));
  return all;
}

@SkipRateLimit()
class Skipped {
  @Get("inherited")
  inherited(): void {}

  @Get("own")
  @SkipRateLimit()
  own(): void {}
}

@RateLimit({ cost: 3 })
class Costly {
  @Get("inherited")
  inherited(): void {}

  @Get("own")
  @RateLimit({ cost: 1 })
  own(): void {}
}

describe("a class that extends another", () => {
  it.each<[decorator: string, ClassDecorator]>([
    ["@RateLimit", RateLimit({ cost: 2 })],
    ["@SkipRateLimit(false)", SkipRateLimit(false)],
  ])("takes back its @SkipRateLimit by %s, but not that of a method", async (_, decorator) => {
    @Controller()
    @decorator
    class Nearer extends Skipped {}

    const [inherited, own] = await answers(Nearer, ["inherited", "own"]);
    expect(inherited).toMatch(/^200 "api"/);
    expect(own).toBe("200 null");
  });

  it("takes back its @RateLimit by @SkipRateLimit, but not that of a method", async () => {
    @Controller()
    @SkipRateLimit()
    class Nearer extends Costly {}

    expect(await answers(Nearer, ["inherited", "own"])).toEqual(["200 null", '200 "api";r=5;t=10']);
  });

  it("inherits @SkipRateLimit", async () => {
    @Controller()
    class Same extends Skipped {}

    expect(await answers(Same, ["inherited"])).toEqual(["200 null"]);
  });

  it("says its options over those that it inherits", async () => {
    @Controller()
    @RateLimit({ headers: "legacy" })
    class Quiet extends Costly {}

    @Controller()
    @RateLimit({ headers: "draft-11" })
    class Nearest extends Quiet {}

    expect(await answers(Nearest, ["inherited", "own"])).toEqual([
      '200 "api";r=3;t=30',
      '200 "api";r=2;t=40',
    ]);
  });

  it("does not inherit what a method says that it overrides", async () => {
    @Controller()
    class Overriding extends Costly {
      @Get("own")
      override own(): void {}
    }

    expect(await answers(Overriding, ["own"])).toEqual(['200 "api";r=3;t=30']);
  });
});
