import { addFields, type Field } from "@sluice/http";

/**
 * A web `Response` that a handler has returned, with the fields. Its headers come over those of the reply, so where it has
 * such fields itself they have to be joined in it: in a copy, since those of what was fetched cannot be changed.
 */
export function inResponse(response: Response, fields: readonly Field[]): Response {
  const present = fields.filter(({ name }) => response.headers.has(name));
  if (present.length === 0 || response.bodyUsed) return response;
  const copy = new Response(response.body, response);
  addFields(copy.headers, present);
  return copy;
}
