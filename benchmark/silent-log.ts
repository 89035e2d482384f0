/** A log that keeps only what must not happen in a benchmark: errors, on stderr. */

import type { Log } from '../ports/log.ts';

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => console.error(message, fields),
  child: () => silentLog,
};
