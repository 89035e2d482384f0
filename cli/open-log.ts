/** The log of a process that serves or stands on a bus. */

import { pino } from 'pino';
import type { Log } from '../ports/log.ts';
import { logLevel } from './serve-options.ts';

/** Logs as JSON lines on stderr; `MCS_LOG_LEVEL` decides from which level on. */
export function openLog(): Log {
  const destination = pino.destination({ fd: 2, sync: true });
  // A reader that went away ends no service.
  destination.on('error', () => undefined);
  return pino({ level: logLevel(), base: null }, destination);
}
