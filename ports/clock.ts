/** Time and chance as the runtime sees them: injected, so that a simulation can own both. */

export interface Clock {
  /** ms since 1970, as the machine believes: it may be set, back and forth. */
  now(): number;
  /**
   * ms since some moment in the past of this process: only ever rises, whatever is done to the time of day, and counts
   * what the machine slept. For ages and bounds of waiting; means nothing to another process.
   */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`; the handle cancels it. */
  setTimeout(fire: () => void, delayMs: number): TimerHandle;
  clearTimeout(timer: TimerHandle): void;
}

export type TimerHandle = { readonly timer: unknown };

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}
