/** Time as a test of a chart writes it, and the names of deadlines as its messages show them. */

import { parseDuration } from '../../mission/quantity.ts';
import type { ArmedTimer } from '../../ports/entity.ts';

/** ms, or a quantity like `'30 s'`. */
export type Duration = number | string;

/** The duration in ms; throws a `RangeError` for anything else, or below zero. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') {
    if (Number.isFinite(duration) && duration >= 0) return duration;
    throw new RangeError(`${duration} is no time to wait: give ms of zero or more`);
  }
  const read = parseDuration(duration);
  if (read.ok) return read.value;
  const [{ message, help }] = read.faults;
  throw new RangeError(help === undefined ? message : `${message}; ${help}`);
}

/** `after verificationTimeout (telecommand.SENT)`. */
export function deadlineName(timer: ArmedTimer | undefined): string {
  const [, delay, node] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(timer?.event.type ?? '') ?? [];
  return delay === undefined ? `deadline ${timer?.id ?? ''}` : `after ${delay} (${node})`;
}
