import type { Server } from "node:http";
import type { DynamicModule, INestApplication, Type } from "@nestjs/common";
import { type AbstractHttpAdapter, NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { FastifyAdapter } from "@nestjs/platform-fastify";

/** What an application of Nest stands on. */
export interface Platform {
  readonly name: string;
  readonly create: () => AbstractHttpAdapter;
  /** The same, with the response `early` sent to every request before anything else sees it. */
  readonly createEarly: () => AbstractHttpAdapter;
}

export const platforms: readonly Platform[] = [
  {
    name: "Express",
    create: () => new ExpressAdapter(),
    createEarly() {
      const adapter = new ExpressAdapter();
      adapter.use((_request: unknown, response: { end(text: string): void }, next: () => void) => {
        response.end("early");
        next();
      });
      return adapter;
    },
  },
  {
    name: "Fastify",
    create: () => new FastifyAdapter(),
    createEarly() {
      const adapter = new FastifyAdapter();
      adapter.getInstance().addHook("onRequest", (_request, reply, done) => {
        reply.raw.end("early");
        done();
      });
      return adapter;
    },
  },
];

/** An application that listens on loopback. */
export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly app: INestApplication<Server>;
}

export async function start(
  module: DynamicModule | Type,
  adapter: AbstractHttpAdapter = new ExpressAdapter(),
  configure?: (app: INestApplication<Server>) => void,
): Promise<Running> {
  const app: INestApplication<Server> = await NestFactory.create(module, adapter, {
    logger: false,
    abortOnError: false,
  });
  configure?.(app);
  await app.listen(0, "127.0.0.1");
  return {
    url: `${await app.getUrl()}/`,
    app,
    async [Symbol.asyncDispose]() {
      app.getHttpServer().closeAllConnections();
      await app.close();
    },
  };
}
