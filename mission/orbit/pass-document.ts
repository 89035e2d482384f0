/**
 * Predicted passes as the wire has them: the fields of a Pass, and the snapshot of a target's window that replaces what
 * the same source predicted before. Mission Control Service, section 2.6.
 */

import { formatQuantity } from '../quantity.ts';
import type { PredictedPass, TargetPrediction } from './predict.ts';

/** A Pass as a feeder of predictions writes it; what is absent has its default. */
export interface PredictedPassDocument {
  readonly id: string;
  readonly target: string;
  readonly station: string;
  readonly aos: string;
  readonly los: string;
  readonly max_elevation: string;
  readonly source: 'fds';
  readonly status: 'predicted';
}

/** The body of a replace-window request. */
export interface PredictedWindow {
  readonly source: 'fds';
  readonly target: string;
  readonly from: string;
  readonly to: string;
  readonly passes: readonly PredictedPassDocument[];
}

/** Decimals of an elevation: more than a mask or a rule needs, and what the model is worth. */
const ELEVATION_DECIMALS = 3;

/** The snapshot of the target; undefined where nothing is known of the window (predict.P3). */
export function windowDocument({
  target,
  fromMs,
  toMs,
  passes,
}: TargetPrediction): PredictedWindow | undefined {
  const [from, to] = [timeText(fromMs), timeText(toMs)];
  return from < to ? { source: 'fds', target, from, to, passes: passes.map(passDocument) } : undefined;
}

function passDocument({
  id,
  target,
  station,
  aosMs,
  losMs,
  maxElevationDeg,
}: PredictedPass): PredictedPassDocument {
  const elevation = Number(maxElevationDeg.toFixed(ELEVATION_DECIMALS));
  return {
    id,
    target,
    station,
    aos: timeText(aosMs),
    los: timeText(losMs),
    max_elevation: formatQuantity(elevation, 'deg'),
    source: 'fds',
    status: 'predicted',
  };
}

function timeText(timeMs: number): string {
  return new Date(Math.round(timeMs)).toISOString();
}
