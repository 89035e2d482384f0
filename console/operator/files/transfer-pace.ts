/**
 * How fast a transfer goes, from the bytes it had when, and whether it ends before LOS at that rate. Pure. What is said
 * of the future is an estimate, and says from what.
 */

import type { Transfer } from '../../../contract/transfer.ts';
import { clockTime, duration } from '../../moment.ts';

export interface PacePoint {
  /** ms since 1970. */
  readonly at: number;
  readonly bytes: number;
}

/** What is in the way of a transfer that goes on, or limits it. */
export interface PassNow {
  readonly station: string;
  /** ms since 1970. */
  readonly los: number;
}

/** Shorter says nothing about a rate. */
const LEAST_MS = 2_000;
/** Nothing for so long is no rate any more. */
const SILENT_MS = 20_000;

export function bytesOf({ received = [] }: Pick<Transfer, 'received'>): number {
  return received.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** bit/s over the time of the points; undefined where they say nothing about now. */
export function rateOf(points: readonly PacePoint[], now: number): number | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (last.at - first.at < LEAST_MS || last.bytes === first.bytes || now - last.at > SILENT_MS)
    return undefined;
  return ((last.bytes - first.bytes) * 8_000) / (last.at - first.at);
}

/** `9.6 kbit/s over the last 30 s · 2 min 5 s left · ends 1 min 3 s before LOS 12:10:00Z over kiruna` */
export function paceWords(
  transfer: Pick<Transfer, 'size' | 'received'>,
  points: readonly PacePoint[],
  pass: PassNow | undefined,
  now: number,
): string {
  const rate = rateOf(points, now);
  if (rate === undefined) return 'nothing is coming at the moment';
  const left = ((transfer.size - bytesOf(transfer)) * 8_000) / rate;
  const words = [
    `${rateText(rate)} over the last ${duration(now - points[0]!.at)}`,
    `${duration(left)} left at that rate`,
  ];
  if (pass === undefined) return [...words, 'no pass in progress'].join(' · ');
  const margin = pass.los - now - left;
  const los = `LOS ${clockTime(pass.los).slice(0, 8)}Z over ${pass.station}`;
  words.push(
    margin >= 0 ? `ends ${duration(margin)} before ${los}` : `△ would end ${duration(-margin)} after ${los}`,
  );
  return words.join(' · ');
}

export function rateText(rate: number): string {
  const [value, unit] =
    rate >= 1e6 ? [rate / 1e6, 'Mbit/s'] : rate >= 1e3 ? [rate / 1e3, 'kbit/s'] : [rate, 'bit/s'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
