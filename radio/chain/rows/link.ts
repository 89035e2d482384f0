/** What only a signal shows (chain/condition.N4). */

import { statusBit } from '../../board/registers.ts';
import type { ConditionRow } from '../condition.ts';
import { judged } from '../finding.ts';
import { bits, EVERYWHERE, recover } from '../view.ts';

export const LINK: readonly ConditionRow[] = [
  ...[
    { key: 'lock.timing', bit: statusBit.timingLock, breaks: 'symbols are not sampled at their instants' },
    { key: 'lock.carrier', bit: statusBit.carrierLock, breaks: 'nothing correlates' },
    { key: 'sync.frame', bit: statusBit.frameSync, breaks: 'bytes are not aligned' },
  ].map(
    ({ key, bit, breaks }): ConditionRow => ({
      key,
      stage: 'lock',
      source: 'board',
      targets: EVERYWHERE,
      breaks,
      fix: recover,
      remedy: undefined,
      find: (view) =>
        judged(
          bits(view, 'status', bit),
          'yes',
          (set) => set !== 0,
          (set) => (set === 0 ? 'no' : 'yes'),
        ),
    }),
  ),
  {
    key: 'proof.loopback',
    stage: 'proof',
    source: 'session',
    targets: EVERYWHERE,
    breaks: 'transfer of bytes is not proven; a moving frame counter proves nothing',
    fix: () => 'POST /api/v1/datapath/measure',
    remedy: undefined,
    find: ({ target, session: { proof } }) => ({
      required: 'BytePerfect under this configuration',
      observed: proof === undefined ? 'not measured' : `${proof.verdict} (${proof.target})`,
      verdict: proof?.target === target && proof.verdict === 'BytePerfect' ? 'met' : 'unmet',
    }),
  },
];
