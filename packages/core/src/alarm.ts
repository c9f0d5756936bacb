import { MAX_TIMER_MS } from "./whole.js";

/**
 * Calls `ring` once `performance.now()` has reached a time, however far off that is, and never before: a timer that fires
 * early is set again. Returns what calls it off. It keeps the process alive, since somebody waits.
 */
export function alarmAt(atMs: number, ring: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const set = (): void => {
    const leftMs = atMs - performance.now();
    if (leftMs <= 0) ring();
    else timer = setTimeout(set, Math.min(Math.ceil(leftMs), MAX_TIMER_MS));
  };
  timer = setTimeout(set, Math.min(Math.max(0, Math.ceil(atMs - performance.now())), MAX_TIMER_MS));
  return () => clearTimeout(timer);
}
