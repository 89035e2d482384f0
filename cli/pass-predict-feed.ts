/**
 * `mcs pass predict --feed`: predictions as snapshots of source `fds`, once or again and again, each time from the
 * elements as the files then have them. Mission Control Service, sections 2.6 and 4.5.
 *
 * P1. What is not predicted is not claimed: a target without a prediction is reported, and nothing of it is cancelled.
 * P2. A round that fails is reported and tried again, first after `RETRY_MS`, then after twice as long each time, at
 *     the latest when the next round is due. It ends the feeder only where the first one finds nothing to predict from.
 * P3. SIGINT and SIGTERM end it with exit code 0, also in the middle of a request: a snapshot that is fed again comes
 *     to the same end.
 */

import { PREDICTION_FEED_MS_LEAST, PREDICTION_FEED_MS_MOST } from '../contract/limits/prediction.ts';
import { windowDocument } from '../mission/orbit/pass-document.ts';
import type { Prediction } from '../mission/orbit/predict.ts';
import { parseDuration } from '../mission/quantity.ts';
import { realClock } from '../supervision/clock.ts';
import { pause, whenEnded } from './followed.ts';
import { type FeedOptions, feedSnapshots } from './pass-feed.ts';
import { dayAndTime } from './pass-look.ts';
import { printable } from './printable.ts';

/** A service that restarts is back within seconds. */
const RETRY_MS = 2_000;
/** A round that takes so long is given up: two thousand snapshots take a minute. */
const ROUND_MS = 300_000;
const S_MS = 1_000;
const DAY_MS = 86_400_000;
/** `1h` as people type it is the quantity `1 h`. */
const SHORT = /^(\d+(?:\.\d+)?)([a-z]+)$/;

/** Undefined after what is wrong was printed. */
type Predict = () => Promise<Prediction | undefined>;

export interface RepeatedFeed extends Omit<FeedOptions, 'signal'> {
  readonly everyMs: number;
  readonly local: boolean;
}

/** How often, ms; throws where that is too often, or so seldom that the last prediction ends before. */
export function readEvery(text: string, days: number): number {
  const read = parseDuration(text.replace(SHORT, '$1 $2'));
  if (!read.ok) {
    const [{ message, help }] = read.faults;
    throw new Error(`--every: ${message}${help === undefined ? '' : ` (${help})`}`);
  }
  // Days that are no number are reported with the prediction.
  const most = Math.min(
    PREDICTION_FEED_MS_MOST,
    Number.isNaN(days) ? Number.POSITIVE_INFINITY : days * DAY_MS,
  );
  if (read.value >= PREDICTION_FEED_MS_LEAST && read.value < most) return read.value;
  const [least, ahead] = [PREDICTION_FEED_MS_LEAST / S_MS, most / DAY_MS];
  throw new Error(`--every ${text}: write ${least} s or more, and less than ${ahead} days, say 1h`);
}

/** Posts what is known; true where every snapshot was taken, and there was one. */
export async function feedPrediction({ targets }: Prediction, options: FeedOptions): Promise<boolean> {
  const snapshots = [];
  for (const each of targets) {
    const snapshot = windowDocument(each);
    if (snapshot !== undefined) snapshots.push(snapshot);
    // P1
    else process.stderr.write(`${printable(each.target)}: no prediction: its passes stay as they are\n`);
  }
  return snapshots.length > 0 && feedSnapshots(snapshots, options);
}

/** Rounds until it is ended (P2, P3); 1 where already the first has nothing to predict from. */
export async function feedRepeatedly(predict: Predict, options: RepeatedFeed): Promise<number> {
  const { signal } = whenEnded();
  const { everyMs, local, json } = options;
  const time = (ms: number): string => dayAndTime(ms, local).join(' ');
  for (let round = 0, failures = 0; !signal.aborted; round += 1) {
    const begunMs = realClock.monotonic();
    if (!json) process.stdout.write(`${time(realClock.now())}\n`);
    const prediction = await unlessEnded(predict, signal);
    if (prediction === undefined && round === 0) return signal.aborted ? 0 : 1;
    const late = new AbortController();
    const timer = realClock.setTimeout(() => late.abort(), Math.min(ROUND_MS, everyMs));
    const limits = AbortSignal.any([signal, late.signal]);
    const isFed =
      prediction !== undefined &&
      (await unlessEnded(() => feedPrediction(prediction, { ...options, signal: limits }), signal)) === true;
    realClock.clearTimeout(timer);
    if (signal.aborted) break;
    failures = isFed ? 0 : failures + 1;
    const leftMs = Math.max(0, everyMs - (realClock.monotonic() - begunMs));
    const waitMs = isFed ? leftMs : Math.max(RETRY_MS, Math.min(leftMs, RETRY_MS * 2 ** (failures - 1)));
    if (!isFed) process.stderr.write(`-- not fed; trying again at ${time(realClock.now() + waitMs)}\n`);
    await pause(waitMs, signal);
  }
  return 0;
}

/** P2: undefined after what went wrong was printed. */
async function unlessEnded<Outcome>(
  step: () => Promise<Outcome>,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    return await step();
  } catch (error) {
    const said = printable(error instanceof Error ? error.message : String(error));
    if (!signal.aborted) process.stderr.write(`mcs: ${said}\n`);
    return undefined;
  }
}
