/** What holds for the processes themselves. */

import type { Checker } from './checker.ts';

export const nothingUnhandled: Checker = {
  name: 'nothing-unhandled',
  overRewinds: 'kept',
  promise: 'no process meets a rejection that nobody handles',
  check: ({ defects }) => defects,
};
