/** Where a question to a driver goes that changes nothing, or no more than a counter of the driver. */

import { subject } from '../contract/bus/subjects.ts';
import { DRIVER_SILENT_MS } from '../contract/limits/link.ts';
import type { RepeatableVerb } from '../contract/link.ts';
import type { Clock } from '../ports/clock.ts';
import type { Question } from './ask.ts';

/** To one of the processes that serve it, and to each of them when that one is silent (ask.Q5). */
export function toDriver(
  driver: string,
  verb: RepeatableVerb,
  clock: Clock,
): Pick<Question<never>, 'to' | 'all'> {
  const all = { to: subject.driverVerbOfAll(driver, verb), afterMs: DRIVER_SILENT_MS, clock };
  return { to: subject.driverVerb(driver, verb), all };
}
