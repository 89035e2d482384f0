/** The report of a run as text: every section, what is left out, and nothing that a terminal would obey. */

import { expect, it } from 'vitest';
import { reportLines } from '../../cli/report-lines.ts';
import type { RunEvent, RunFact } from '../../contract/run-event.ts';
import { reportOf } from '../../mission/procedure/run-report.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const TC = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const LOOK = { local: false, colour: false };

const FACTS: readonly RunFact[] = [
  {
    event: 'started',
    procedure: 'take_image',
    library: 'ops@1.0.0',
    environment: 'bench',
    targets: { sat: 'sat1' },
    inputs: { exposure: 20 },
    ir: 'e'.repeat(64),
    by: 'ada',
  } as RunFact,
  { event: 'telecommand_finished', path: 'shoot', tc: TC, state: 'REJECTED', detail: 'too hot', acks: [] },
  {
    event: 'checked',
    path: 'shoot',
    statement: 'expect',
    condition: 'voltage > 7',
    ok: false,
    reason: 'it is 6.5',
    samples: [],
  } as unknown as RunFact,
  { event: 'step_finished', path: 'shoot', attempt: 1, ok: false, reason: 'evil \u001b[2J' },
  { event: 'decision_required', path: 'shoot', reason: 'step failed' } as RunFact,
  { event: 'answered', path: 'shoot', accepted: true, value: 'skip', by: 'ada' } as RunFact,
  { event: 'suspended', path: 'downlink', by: 'eve' } as RunFact,
  { event: 'continued', path: 'downlink', by: 'eve', choice: 'replay' } as RunFact,
  { event: 'step_finished', path: 'downlink', attempt: 2, ok: true } as RunFact,
  { event: 'finished', ok: false, reason: 'no light' },
];

const log = (facts: readonly RunFact[] = FACTS): RunEvent[] =>
  facts.map(
    (fact, n) =>
      ({
        ...fact,
        run: RUN,
        seq: n + 1,
        at: new Date(Date.UTC(2026, 2, 1, 23, 59, 55 + n)).toISOString(),
      }) as RunEvent,
  );

it('has what the run was, how it ended, and a section for each kind of entry', () => {
  expect(reportLines(reportOf(RUN, log()), LOOK)).toEqual([
    RUN,
    '  state        FAILED: no light',
    '  procedure    take_image of ops@1.0.0',
    '  targets      sat=sat1',
    '  inputs       exposure=20',
    '  environment  bench',
    '  by           ada',
    '  started      2026-03-01 23:59:55Z',
    '  ended        2026-03-02 00:00:04Z, after 0:09',
    '  events       10',
    '',
    'steps (2)',
    '  2026-03-01 23:59:58Z  shoot  FAILED: evil .[2J',
    '  2026-03-02 00:00:03Z  downlink  ok',
    '',
    'telecommands (1)',
    '  2026-03-01 23:59:56Z  shoot  REJECTED: too hot',
    '',
    'conditions that were not so (1)',
    '  2026-03-01 23:59:57Z  shoot  voltage > 7 FAILED: it is 6.5',
    '',
    'decisions (1)',
    '  2026-03-01 23:59:59Z  shoot  step failed',
    '',
    'answers (1)',
    '  2026-03-02 00:00:00Z  shoot  yes: skip, by ada',
    '',
    'interruptions (2)',
    '  2026-03-02 00:00:01Z  downlink  suspended by eve',
    '  2026-03-02 00:00:02Z  downlink  resumed by eve: replay',
  ]);
});

it('says what is left out, what is nowhere any more, and that a run is not over', () => {
  const left = log().slice(3, 9);
  expect(reportLines(reportOf(RUN, left, 1), LOOK).filter((line) => /more|state|steps/.test(line))).toEqual([
    '  state        not over',
    '  events       6; 3 more are not there any more',
    'steps (2)',
    `  … 1 more are in its log: mcs run follow ${RUN}`,
    `  … 1 more are in its log: mcs run follow ${RUN}`,
  ]);
});

it('colours what failed, and nothing where there are no colours', () => {
  const coloured = reportLines(reportOf(RUN, log()), { ...LOOK, colour: true });
  expect(coloured.filter((line) => line.includes('\u001b[31m'))).toHaveLength(4);
  expect(reportLines(reportOf(RUN, log()), LOOK).join('')).not.toContain('\u001b');
});
