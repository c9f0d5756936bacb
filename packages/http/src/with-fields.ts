import { addFields, type Field } from "./field.js";

/** A response with fields added: the same one or, where its headers cannot be changed, a copy. */
export function withFields(response: Response, fields: readonly Field[]): Response {
  try {
    addFields(response.headers, fields);
    return response;
  } catch (error) {
    return copyOf(response, fields, error);
  }
}

/** A redirect, or what was fetched, has headers that cannot be changed. */
function copyOf(response: Response, fields: readonly Field[], error: unknown): Response {
  if (!(error instanceof TypeError)) throw error;
  // no response can be made with the status of a network error, or of an upgrade to another protocol
  if (response.status < 200) return response;
  const copy = new Response(response.body, response);
  addFields(copy.headers, fields);
  return copy;
}
