import { InvalidPolicyError } from "@sluice/core";
import { type HttpResponse, rawResponse } from "./http-request.js";

// those of Fastify and Express after which a response is on its way, though it takes a while until it is sent
const SENDING = ["send", "sendFile", "callNotFound"];

/**
 * Runs `onLimited`. Resolves with false where it has answered, or the client has left: then the handler has nothing to do.
 *
 * @throws InvalidPolicyError for what it returns without answering, which would be lost; and what it throws
 */
export async function goesOn(onLimited: () => unknown, response: HttpResponse): Promise<boolean> {
  const watch = watchSending(response);
  let returned: unknown;
  try {
    returned = onLimited();
    // a reply of Fastify, awaited, waits for its end
    if (returned !== response) returned = await returned;
  } finally {
    watch.end();
  }
  if (watch.sends || isAnswered(response)) return false;
  if (returned === undefined) return true;
  throw new InvalidPolicyError(
    "onLimited must return nothing, throw an HttpException or send the response: what it returns is not sent",
  );
}

function isAnswered(response: HttpResponse): boolean {
  // of a reply that was hijacked
  if ("sent" in response && response.sent === true) return true;
  const { headersSent, writableEnded, destroyed } = rawResponse(response);
  return headersSent || writableEnded || destroyed;
}

interface Watch {
  sends: boolean;
  end(): void;
}

function watchSending(response: HttpResponse): Watch {
  const restores: (() => void)[] = [];
  const watch: Watch = {
    sends: false,
    end() {
      for (const restore of restores) restore();
    },
  };
  for (const name of SENDING) {
    const method: unknown = Reflect.get(response, name);
    if (typeof method !== "function") continue;
    const present = Object.getOwnPropertyDescriptor(response, name);
    Object.defineProperty(response, name, {
      configurable: true,
      writable: true,
      value(...payload: unknown[]): unknown {
        watch.sends = true;
        return Reflect.apply(method, response, payload);
      },
    });
    restores.push(() => {
      if (present === undefined) Reflect.deleteProperty(response, name);
      else Object.defineProperty(response, name, present);
    });
  }
  return watch;
}
