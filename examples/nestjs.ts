// An API and a log-in behind limits, on NestJS.
//
//   pnpm example nestjs
import "reflect-metadata";
import { Controller, Get, Module, Post, Query, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { addressKey, RateLimit, RateLimitModule } from "@sluice/nestjs";
import { HOST, loginStatus, open, openFrontDoor, PORT, succeeded } from "./front-door.ts";

const door = await openFrontDoor();

@Controller()
class AppController {
  @Get()
  hello(): string {
    return "hello\n";
  }

  @Post("login")
  @RateLimit({ limiter: "login", refundWhen: succeeded })
  login(@Query("password") password: string, @Res() response: { sendStatus(status: number): void }): void {
    response.sendStatus(loginStatus(password));
  }
}

@Module({
  imports: [
    RateLimitModule.forRoot({
      limiter: door.api,
      limiters: [door.login],
      key: ({ ip }) => ["ip", addressKey(ip ?? "")],
    }),
  ],
  controllers: [AppController],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
await app.listen(PORT, HOST);
open(app.getHttpServer(), door);
