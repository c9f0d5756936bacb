/** A command never left this process, so it cannot have run. */
export class NotSentError extends Error {
  override readonly name: string = "NotSentError";
}
