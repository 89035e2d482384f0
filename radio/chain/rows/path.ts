/**
 * The path and what leaves by it: the switch behind everything that configures (chain/condition.N3), then level and
 * egress.
 */

import type { Observed } from '../../board/observed.ts';
import { MUTED_DB } from '../../board/phy.ts';
import { currentTarget } from '../../board/reading.ts';
import { controlBit } from '../../board/registers.ts';
import type { ChainView, ConditionRow, Finding } from '../condition.ts';
import { all, bySetup, judged } from '../finding.ts';
import {
  bits,
  decibels,
  EVERYWHERE,
  enable,
  numberOf,
  read,
  strongestDb,
  THROUGH_THE_PART,
} from '../view.ts';

export const PATH: readonly ConditionRow[] = [
  {
    key: 'dma.tone',
    stage: 'datapath',
    source: 'board',
    targets: THROUGH_THE_PART,
    breaks: 'a test tone, or samples that another tool writes, leave instead of data',
    fix: enable,
    remedy: { do: 'datapath.enable' },
    find: (view) =>
      all([
        silent(
          read(view, ({ tone }) => tone),
          ['no tone', 'a tone plays'],
        ),
        silent(
          read(view, ({ samples }) => samples),
          ['no samples of another tool', 'another tool sends samples'],
        ),
      ]),
  },
  {
    key: 'switch',
    stage: 'switch',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'the wrong path is measured',
    fix: ({ target }) => `POST /api/v1/chain/condition {"target": "${target}"}`,
    remedy: { do: 'chain.switch' },
    find: findSwitch,
  },
  {
    key: 'tx.level',
    stage: 'egress',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'on air: no signal; in a loopback: an emission at the connector',
    fix: ({ target, session: { profile } }) =>
      `POST /api/v1/radio/gain {"tx_gain_db": ${target === 'air' ? (profile?.setup.tx.gainDb ?? 0) : -89}}`,
    remedy: { do: 'radio.level' },
    find: (view) => {
      if (view.target !== 'air') return muted(strongestDb(view));
      return bySetup(view, ({ tx }) => {
        const level = decibels(numberOf(view, 'tx', 'gainDb'), tx.gainDb);
        const second = read(view, ({ secondGainDb }) => secondGainDb);
        if ('value' in second && (second.value === undefined || second.value <= MUTED_DB)) return level;
        return all([level, muted(second as Observed<number>, 'second transmitter ')]);
      });
    },
  },
  {
    key: 'tx.egress',
    stage: 'egress',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'what is flushed or transmitted does not leave',
    fix: enable,
    remedy: { do: 'chain.egress' },
    find: (view) =>
      judged(
        bits(view, 'control', controlBit.egress),
        'open',
        (open) => open !== 0,
        (open) => (open === 0 ? 'closed' : 'open'),
      ),
  },
];

function silent(plays: Observed<boolean>, [quiet, loud]: readonly [string, string]): Finding {
  return judged(
    plays,
    quiet,
    (on) => !on,
    (on) => (on ? loud : quiet),
  );
}

function muted(level: Observed<number>, which = ''): Finding {
  return judged(
    level,
    `${which}at most ${MUTED_DB} dB`,
    (db) => db <= MUTED_DB,
    (db) => `${which}${db} dB`,
  );
}

function findSwitch(view: ChainView): Finding {
  const { target, board } = view;
  const required = target;
  if (board === undefined) return { required, observed: 'no board', verdict: 'unknown' };
  const { deviceLoopback, registers } = board;
  const parts = [deviceLoopback, registers.loopback].map((part) =>
    'error' in part ? part.error : part.value,
  );
  const observed = `part ${parts[0]}, logic ${parts[1]}`;
  if ('error' in deviceLoopback || 'error' in registers.loopback)
    return { required, observed, verdict: 'unknown' };
  return { required, observed, verdict: currentTarget(board) === target ? 'met' : 'unmet' };
}
