/** Which answers a campaign has lost (campaign-answers.W1). */

import { expect, it } from 'vitest';
import { type AnsweredRun, lostAnswers } from './campaign-answers.ts';

const END = 1_000_000;
const run: AnsweredRun = {
  run: 'r',
  acknowledged: 2,
  stored: [
    { position: 3, at: END - 40_000 },
    { position: 7, at: END - 20 },
  ],
  logged: new Set([3]),
  finishedAt: END,
};

it.each<readonly [string, Partial<AnsweredRun>, readonly string[]]>([
  ['all are logged', { logged: new Set([3, 7]) }, []],
  ['the last one came when the run was over', {}, []],
  [
    'one behind it is logged',
    { logged: new Set([7]) },
    ['at position 3 is not in the log, which ended 40000 ms later'],
  ],
  ['none is logged', { logged: new Set() }, ['at position 3 is not in the log, which ended 40000 ms later']],
  ['the run is open', { finishedAt: undefined }, ['at position 7 is not in the log, which is open']],
  ['the bus lost one', { acknowledged: 3 }, ['3 answers acknowledged, 2 stored']],
])('campaign-answers.W1 %s', (_, change, faults) => {
  expect(lostAnswers({ ...run, ...change })).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});
