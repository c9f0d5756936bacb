/** What a process says to the one that started it. */
export interface Message {
  answer?: unknown;
  error?: string;
}

/** Answers the orders of the process that started this one, until that lets go of it. */
export function obey<Order>(answer: (order: Order) => Promise<unknown>): void {
  const say = (message: Message): void => {
    // whoever asked may be gone
    if (process.connected) process.send?.(message);
  };
  process.on("message", async ({ order }: { order: Order }) => {
    try {
      say({ answer: await answer(order) });
    } catch (error) {
      say({ error: String(error) });
    }
  });
  process.once("disconnect", () => process.exit());
  say({ answer: "ready" });
}
