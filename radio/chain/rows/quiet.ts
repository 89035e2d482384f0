/** The transmitter is quiet while anything that disturbs is changed (chain/condition.N3). */

import { knownValue } from '../../board/observed.ts';
import { MUTED_DB } from '../../board/phy.ts';
import { controlBit } from '../../board/registers.ts';
import type { ChainView, ConditionRow, Finding } from '../condition.ts';
import { judged } from '../finding.ts';
import { bits, EVERYWHERE, strongestDb } from '../view.ts';

/** The row that goes before those given, which disturb when they are changed under an open egress. */
export function quietBefore(rows: readonly ConditionRow[]): ConditionRow {
  return {
    key: 'tx.quiet',
    stage: 'rf',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'the transmitter emits while it is retuned or switched',
    fix: () => 'POST /api/v1/radio/gain {"tx_gain_db": -89}',
    remedy: { do: 'radio.quiet' },
    find: (view) => findQuiet(rows, view),
  };
}

/** Whether what is transmitted would radiate while something before the switch is still to be changed. */
function findQuiet(rows: readonly ConditionRow[], view: ChainView): Finding {
  const required = 'egress closed or transmitter muted while the chain is changed';
  const changes = rows.some((row) => row.targets.includes(view.target) && row.find(view).verdict !== 'met');
  if (!changes) return { required, observed: 'nothing to change', verdict: 'met' };
  const egress = bits(view, 'control', controlBit.egress);
  const level = strongestDb(view);
  if (knownValue(egress) === 0) return { required, observed: 'egress closed', verdict: 'met' };
  return judged(
    level,
    required,
    (db) => db <= MUTED_DB,
    (db) => `egress open at ${db} dB`,
  );
}
