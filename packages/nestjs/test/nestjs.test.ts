import type { ServerResponse } from "node:http";
import {
  All,
  type ArgumentsHost,
  Catch,
  Controller,
  type DynamicModule,
  HttpException,
  Module,
  Req,
  Res,
  StreamableFile,
} from "@nestjs/common";
import { BaseExceptionFilter, HttpAdapterHost } from "@nestjs/core";
import { type Adapter, forArgs, proveAdapter, type Reply, type Route, type Seen } from "@sluice/http-proof";
import { type HttpRequest, RateLimitModule } from "@sluice/nestjs";
import { type Platform, platforms, start } from "./apps.ts";

const seen = (request: HttpRequest): Seen => ({
  method: request.method,
  header: (name) => request.headers[name]?.toString(),
});

/** What the responses of both platforms have. */
interface AnyResponse {
  readonly raw?: ServerResponse;
  readonly headersSent?: boolean;
  status(status: number): { send(text: string): unknown };
}

const answer = ({ status, text }: Reply): HttpException =>
  new HttpException(new StreamableFile(new TextEncoder().encode(text)), status);

function moduleOf({ limits, handle }: Route): DynamicModule {
  @Controller()
  class AnyController {
    @All()
    async answer(@Req() request: HttpRequest, @Res() response: AnyResponse): Promise<void> {
      const { status, text } = await handle(seen(request), request);
      if (!(response.raw ?? response).headersSent) response.status(status).send(text);
    }
  }

  @Module({})
  class AnyModule {}

  const imports = limits.map(({ onLimited, ...options }) =>
    RateLimitModule.forRoot({
      ...forArgs(options, seen),
      onLimited:
        onLimited &&
        ((request, _context, decision) => {
          throw answer(onLimited(seen(request), decision));
        }),
    }),
  );
  return { module: AnyModule, controllers: [AnyController], imports };
}

/** Watches, and answers as Nest does by itself. */
function watch(
  onError: Route["onError"],
): new (
  adapter: HttpAdapterHost["httpAdapter"],
) => BaseExceptionFilter {
  @Catch()
  class Watch extends BaseExceptionFilter {
    override catch(exception: unknown, host: ArgumentsHost): void {
      // those are answers
      if (!(exception instanceof HttpException)) onError(exception);
      super.catch(exception, host);
    }
  }
  return Watch;
}

const adapter = ({ name, create, createEarly }: Platform): Adapter => ({
  name: `NestJS on ${name}`,
  canSendEarly: true,
  canStack: false,
  serve(route) {
    const Watch = watch(route.onError);
    return start(moduleOf(route), route.sendsEarly ? createEarly() : create(), (app) => {
      app.useGlobalFilters(new Watch(app.get(HttpAdapterHost).httpAdapter));
    });
  },
});

for (const platform of platforms) proveAdapter(adapter(platform));
