/** Lets the process end while a timer is set, where timers can keep it alive (Node, Bun, Deno's Node layer). */
export function unrefTimer(timer: unknown): void {
  if (typeof timer !== "object" || timer === null || !("unref" in timer)) return;
  if (typeof timer.unref === "function") timer.unref();
}

/** Has it keep the process alive again. */
export function refTimer(timer: unknown): void {
  if (typeof timer !== "object" || timer === null || !("ref" in timer)) return;
  if (typeof timer.ref === "function") timer.ref();
}
