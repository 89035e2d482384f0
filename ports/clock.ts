/** Time and chance as the runtime sees them: injected, so that a simulation can own both. */

export interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Calls `fire` once after `delayMs`; the handle cancels it. */
  setTimeout(fire: () => void, delayMs: number): TimerHandle;
  clearTimeout(timer: TimerHandle): void;
}

export type TimerHandle = { readonly timer: unknown };

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}
