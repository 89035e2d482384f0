/** What everything else stands on: a profile, a board, its modem. */

import { MODEM_ID, register } from '../../board/registers.ts';
import type { ConditionRow } from '../condition.ts';
import { judged } from '../finding.ts';
import { apply, EVERYWHERE, enable, read } from '../view.ts';

export const GROUND: readonly ConditionRow[] = [
  {
    key: 'session.profile',
    stage: 'session',
    source: 'session',
    targets: EVERYWHERE,
    breaks: 'conditioning has no goal',
    fix: apply,
    remedy: undefined,
    find: ({ session: { profile, epoch } }) => ({
      required: 'a profile applied or given',
      observed: profile === undefined ? 'none' : `${profile.name} @ epoch ${epoch}`,
      verdict: profile === undefined ? 'unmet' : 'met',
    }),
  },
  {
    key: 'board.phy',
    stage: 'board',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'nothing can be set or read',
    fix: () => 'check the board: power, cable, iiod',
    remedy: undefined,
    find: (view) =>
      judged(
        read(view, ({ phy }) => phy),
        'ad9361-phy',
        () => true,
      ),
  },
  {
    key: 'board.datapath',
    stage: 'board',
    source: 'session',
    targets: EVERYWHERE,
    breaks: 'nothing can be captured, fed or flushed',
    fix: enable,
    remedy: { do: 'datapath.enable' },
    find: ({ session: { acquired } }) => ({
      required: 'held by the daemon',
      observed: acquired ? 'held' : 'not held',
      verdict: acquired ? 'met' : 'unmet',
    }),
  },
  {
    key: 'pl.driver',
    stage: 'pl',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'locks, offsets, the loopback of the logic and recovery are out of reach',
    fix: () => `load the driver of the modem (register ${register.id.name} reads 0x${MODEM_ID.toString(16)})`,
    remedy: undefined,
    find: (view) =>
      judged(
        read(view, ({ modemVersion }) => modemVersion),
        'the modem answers',
        () => true,
        (version) => `v${version}`,
      ),
  },
];
