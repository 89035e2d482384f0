/**
 * Counts what could not be read and reports it at most once a second: a gateway that receives noise must not fill the
 * log.
 *
 * A1. Every fault is counted; the line that reports them says how many there were since the last one.
 */

import { FRAME_FAULT_LOG_MS } from '../contract/limits/link.ts';
import type { Log } from '../ports/log.ts';

export class FrameFaults {
  total = 0;
  readonly #log: Log;
  #untold = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Counts a fault of `where` at `nowMs`; logs when the last line is old enough. */
  add(where: string, detail: string, nowMs: number): void {
    this.total += 1;
    this.#untold += 1;
    if (nowMs - this.#reportedAt < FRAME_FAULT_LOG_MS) return;
    this.#log.warn(
      { link: where, detail, frames: this.#untold, total: this.total },
      'frames could not be decoded',
    );
    this.#untold = 0;
    this.#reportedAt = nowMs;
  }
}
