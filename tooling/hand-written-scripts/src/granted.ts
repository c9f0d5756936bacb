/** How many of the replies said yes. */
export function granted(replies: readonly unknown[]): number {
  return replies.filter((reply) => reply === 1 || isAllowed(reply)).length;
}

function isAllowed(reply: unknown): boolean {
  return typeof reply === "object" && reply !== null && Reflect.get(reply, "allowed") === true;
}

/** `count` calls, all of them under way before the first is answered. */
export function atOnce<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}

/** `count` calls, one after the other. */
export async function inTurn<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  const replies: T[] = [];
  for (let index = 0; index < count; index += 1) replies.push(await call(index));
  return replies;
}
