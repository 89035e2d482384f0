/**
 * How many blocks are captured and how long they are waited for, where nobody says. RF Bench Service, section 4, rule
 * 8; the default of the time is not shown there.
 *
 * Behind arming, blocks are of before: two to four lie in the queues of the receive path, one is cut in two by the
 * rotation, one was on the air, and one goes by until the receiver has found the signal.
 */

import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import { CAPTURE_BLOCKS } from '../../../contract/limits/bench.ts';
import type { RadioRecord } from '../../../machines/bench/radio-record.ts';
import type { LoopbackTerms } from '../../../ports/bench.ts';
import { blockPeriodMs } from '../radio/profile-setup.ts';

/** What is said where nothing holds the devices of the modem, and what takes them. */
export const NOT_HELD = 'no datapath: the daemon does not hold the devices of the modem';
export const ENABLE =
  'POST /api/v1/datapath/enable takes them; POST /api/v1/chain/condition does it with all that is missing';

/** Blocks that are not yet those of the payload. */
const STALE_BLOCKS = 8;
/** Of a short payload, enough blocks to see a slip at their boundaries. */
const LEAST_BLOCKS = 4;
/** What a person waits for at a slow rate; of the payload itself nothing is left out for that. */
const PATIENCE_MS = 30_000;
/** Symbols until timing and carrier are found, generously, and blocks that may be late. */
const LOCK_SYMBOLS = 10_000;
const LATE = 3;
const LEAST_MS = 1_000;
/** Of a block while no profile gives its rate. */
const UNKNOWN_PERIOD_MS = 1_000;

export interface Terms {
  readonly blocks: number;
  readonly warmup: number;
  readonly timeoutMs: number;
  readonly periodMs: number;
}

/**
 * Of a capture beside a payload: all of it, whatever place it begins at, so that a verdict is of every byte that was
 * fed.
 */
export function loopbackTerms(payloadBytes: number, asked: LoopbackTerms, record: RadioRecord): Terms {
  const periodMs = periodOf(record);
  const warmup = asked.warmup ?? STALE_BLOCKS;
  const whole = Math.ceil(payloadBytes / BLOCK_BYTES);
  const patient = Math.max(1, Math.floor(PATIENCE_MS / periodMs) - warmup);
  const blocks = asked.blocks ?? Math.max(whole, Math.min(patient, LEAST_BLOCKS));
  return captureTerms({ blocks, warmup, timeoutMs: asked.timeoutMs }, record);
}

/** Of a capture. */
export function captureTerms(
  asked: { readonly blocks: number; readonly warmup: number; readonly timeoutMs: number | undefined },
  record: RadioRecord,
): Terms {
  const periodMs = periodOf(record);
  const baud = record.applied?.profile.symbol_rate_baud;
  const lockMs = baud === undefined ? LEAST_MS : (LOCK_SYMBOLS * 1000) / baud;
  const neededMs = LATE * (asked.blocks + asked.warmup) * periodMs + lockMs;
  const timeoutMs = asked.timeoutMs ?? Math.max(LEAST_MS, Math.ceil(neededMs));
  return { blocks: asked.blocks, warmup: asked.warmup, timeoutMs, periodMs };
}

/** How long blocks that are queued are waited for to be taken. */
export function queueTerms(blocks: number, record: RadioRecord): { timeoutMs: number; periodMs: number } {
  const periodMs = periodOf(record);
  return { periodMs, timeoutMs: Math.max(LEAST_MS, Math.ceil(LATE * blocks * periodMs)) };
}

/** Blocks read at once: so many as come within a moment, so that a capture can be ended in between. */
export function blocksAtOnce({ periodMs }: Terms): number {
  const momentMs = 50;
  return Math.max(1, Math.min(64, Math.floor(momentMs / periodMs), CAPTURE_BLOCKS));
}

function periodOf({ applied }: RadioRecord): number {
  return blockPeriodMs(applied) ?? UNKNOWN_PERIOD_MS;
}
