/** A log for tests: keeps what was said at `warn` and `error`, prints nothing. */

import type { Log } from '../../ports/log.ts';

export interface KeptLog extends Log {
  readonly said: { level: 'warn' | 'error'; message: string; fields: object }[];
}

export function keptLog(): KeptLog {
  const said: KeptLog['said'] = [];
  const log: KeptLog = {
    said,
    debug: () => undefined,
    info: () => undefined,
    warn: (fields, message) => void said.push({ level: 'warn', message, fields }),
    error: (fields, message) => void said.push({ level: 'error', message, fields }),
    child: () => log,
  };
  return log;
}
