import { addFields, type Field } from "./field.js";

/** Responses that were made here, and to which layers further out may add. */
const ours = new WeakSet<Response>();

/**
 * A response with fields added: a copy, since a handler may keep its response and return it to others as well. Where no copy
 * can be made, as of a network error, of an upgrade to another protocol, or of what was read already, it is the response
 * itself, without the fields.
 */
export function withFields(response: Response, fields: readonly Field[]): Response {
  const own = ours.has(response) ? response : copyOf(response);
  if (own === undefined) return response;
  addFields(own.headers, fields);
  return own;
}

function copyOf(response: Response): Response | undefined {
  if (response.status < 200 || response.bodyUsed) return undefined;
  const copy = new Response(response.body, response);
  ours.add(copy);
  return copy;
}
