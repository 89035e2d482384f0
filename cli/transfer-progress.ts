/**
 * How far a transfer has come, in words: share, rate and remaining time. Pure.
 *
 * P1. A rate is of the last `RATE_MS`; without bytes in that time there is none, and no remaining time.
 * P2. The picture of what is there shows holes: `#` all of it, `+` some, `.` nothing.
 */

import type { Transfer } from '../contract/transfer.ts';
import { remaining } from './pass-look.ts';
import { printable } from './printable.ts';

const RATE_MS = 15_000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const PICTURE_MOST = 32;
const PICTURE_LEAST = 8;

/** Rate and remaining time of bytes that come. */
export class Progress {
  #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** So many bytes are there at that time, ms. */
  note(bytes: number, at: number): void {
    this.#samples.push({ at, bytes });
  }

  /** Bytes a second; undefined: none came lately (P1). */
  rate(now: number): number | undefined {
    // One from before the time stays: what came since is counted from there.
    while (this.#samples.length > 1 && this.#samples[1]!.at <= now - RATE_MS) this.#samples.shift();
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.bytes <= first.bytes) return undefined;
    const passed = now - Math.max(first.at, now - RATE_MS);
    return passed <= 0 ? undefined : ((last.bytes - first.bytes) * 1_000) / passed;
  }

  /** `1.2 kB/s  1:22 left`; empty where nothing comes. */
  text(size: number, now: number): string {
    const rate = this.rate(now);
    const bytes = this.#samples.at(-1)?.bytes ?? 0;
    if (rate === undefined || bytes >= size) return '';
    return `${bytesText(rate)}/s  ${remaining(((size - bytes) * 1_000) / rate)} left`;
  }
}

/** Bytes of a transfer that are there. */
export function receivedBytes({ received = [] }: Pick<Transfer, 'received'>): number {
  return received.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** Whole per cent, 100 only where nothing is missing. */
export function share(bytes: number, size: number): number {
  return size === 0 ? 100 : Math.floor((bytes * 100) / size);
}

/** `183.5 kB` */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 999.95 && unit < UNITS.length - 1; unit += 1) value /= 1_000;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** P2 */
export function picture({ received = [], size }: Pick<Transfer, 'received' | 'size'>, cells: number): string {
  if (size === 0) return '#'.repeat(cells);
  const covered = new Array<number>(cells).fill(0);
  for (const [start, end] of received) {
    const last = Math.min(cells, Math.ceil((end * cells) / size)) - 1;
    for (let cell = Math.floor((start * cells) / size); cell <= last; cell += 1) {
      const [low, high] = [(cell * size) / cells, ((cell + 1) * size) / cells];
      covered[cell]! += Math.max(0, Math.min(end, high) - Math.max(start, low));
    }
  }
  const full = size / cells - 1e-6;
  return covered.map((bytes) => (bytes >= full ? '#' : bytes > 0 ? '+' : '.')).join('');
}

/** One line of a terminal that is so wide. */
export function progressLine(transfer: Transfer, progress: Progress, now: number, width: number): string {
  const { target, file_id, generation, state, size, reason } = transfer;
  const bytes = receivedBytes(transfer);
  const words = [
    `${target} file ${file_id} generation ${generation}`,
    state,
    `${share(bytes, size)} %`,
    `${bytesText(bytes)} of ${bytesText(size)}`,
    progress.text(size, now),
    reason ?? '',
  ];
  const [name, ...rest] = words.filter((word) => word !== '').map(printable);
  const room = width - 1 - [name, ...rest].join('  ').length - 4;
  const cells = Math.min(PICTURE_MOST, Math.max(PICTURE_LEAST, room));
  const line = [name, `[${picture(transfer, cells)}]`, ...rest].join('  ');
  return line.length < width ? line : `${line.slice(0, Math.max(0, width - 2))}…`;
}
