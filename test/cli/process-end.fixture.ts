/** A process of the service that cannot continue; with `fails` its stopping fails too, and leaves a timer. */

import { untilItEnds } from '../../cli/process-end.ts';
import { keptLog } from '../support/silent-log.ts';

process.exitCode = await untilItEnds(keptLog(), async (fail) => {
  const open = setInterval(() => undefined, 1_000);
  queueMicrotask(() => fail(new Error('gave up')));
  return {
    stop: async () => {
      if (process.argv[2] === 'fails') throw new Error('still at it');
      clearInterval(open);
    },
  };
});
