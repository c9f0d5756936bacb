/** A command never left this process, so it cannot have run. */
export class NotSentError extends Error {
  override readonly name: string = "NotSentError";
}

/** Its caller had left before it could be sent. */
export class WithdrawnError extends NotSentError {
  override readonly name: string = "WithdrawnError";
}
