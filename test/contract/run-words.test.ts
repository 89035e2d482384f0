/** The log of a run in words, as both who show it show it: the command line and the inspector. */

import { expect, it } from 'vitest';
import { runLines } from '../../cli/run-line.ts';
import { answerCommands, wordsFor } from '../../console/inspect/run-words.ts';
import { CHOICES } from '../../contract/run.ts';
import { RUN_EVENT_KINDS, type RunEvent, type RunFact } from '../../contract/run-event.ts';
import { MEANING_OF, runWords } from '../../contract/run-words.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const TC = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const at = '2026-03-01T12:00:04.250Z';
const acks = [
  { state: 'SENT', at },
  { state: 'VERIFIED', at: '2026-03-01T12:00:04.750Z' },
];
const sent = {
  event: 'telecommand_sent',
  path: 'a/s',
  tc: TC,
  target: 'sat1',
  telecommand: 'obc.ping',
} as const;
const begun = { event: 'step_started', path: 'a/s', attempt: 1, inputs: {} } as const;
const checked = {
  event: 'checked',
  path: 'a/s',
  statement: 'wait_until',
  condition: 'b > 1',
} as const;

/** Each kind of event, and its kind and text in the inspector, whose path stands in a column of its own. */
const ROWS: [RunFact, string][] = [
  [
    {
      event: 'started',
      procedure: 'take_image',
      library: 'ops@2.1.0',
      environment: 'bench',
      targets: { sat: 'sat1', gs: 'hall' },
      ir: 'ab',
      by: 'ada',
      inputs: { exposure: 20, patch: null },
    },
    'started: take_image of ops@2.1.0 in bench, sat=sat1 gs=hall, by ada; exposure=20 patch=none',
  ],
  [{ event: 'procedure_started', path: 'tidy' }, 'procedure: begins'],
  [{ event: 'procedure_finished', path: 'tidy', ok: true }, 'procedure: passed'],
  [{ event: 'procedure_finished', path: 'tidy', ok: false }, 'procedure: failed'],
  [begun, 'step: begins'],
  [{ ...begun, attempt: 2, inputs: { n: 7 } }, 'step: begins, attempt 2; n=7'],
  [{ event: 'step_finished', path: 'a/s', attempt: 1, ok: true }, 'step: passed'],
  [{ event: 'step_finished', path: 'a/s', attempt: 1, ok: false, reason: 'low' }, 'step: failed: low'],
  [{ ...sent, changes_state: false }, 'send: sat1 obc.ping'],
  [
    { ...sent, changes_state: true, retry_of: RUN },
    `send: sat1 obc.ping, changes the state, retry of ${RUN}`,
  ],
  [
    { event: 'telecommand_finished', path: 'a/s', tc: TC, state: 'VERIFIED', acks },
    'telecommand: VERIFIED (VERIFIED after 0.5 s)',
  ],
  [
    { event: 'telecommand_finished', path: 'a/s', tc: TC, state: 'REJECTED', detail: 'low', acks: [] },
    'telecommand: REJECTED: low',
  ],
  [{ ...checked, ok: true, samples: [] }, 'wait until: b > 1'],
  [{ ...checked, ok: false, reason: 'b = 0', samples: [] }, 'wait until: b > 1: b = 0'],
  [{ event: 'logged', path: 'a/s', message: 'hello', samples: [] }, 'log: hello'],
  [{ event: 'asked', path: 'a/s', prompt: 'Level?', role: 'lead' }, 'asks: Level? (role lead)'],
  [{ event: 'asked', path: 'a/s', prompt: 'Level?' }, 'asks: Level?'],
  [
    { event: 'answered', path: 'a/s', accepted: true, value: 12, by: 'ada', role: 'lead' },
    'answered: yes: 12, by ada (role lead)',
  ],
  [{ event: 'answered', path: 'a/s', accepted: false }, 'answered: no, acknowledged automatically'],
  [
    { event: 'answer_refused', path: 'a/s', by: 'eve', reason: 'late' },
    'refused: answer of eve not taken: late',
  ],
  [{ event: 'answer_refused', path: 'a/s', reason: 'late' }, 'refused: answer of nobody not taken: late'],
  [{ event: 'mode_changed', path: 'a/s', target: 'sat1', mode: 'safe' }, 'mode: sat1 is now safe'],
  [{ event: 'decision_required', path: 'a/s', reason: 'low' }, 'decision: low'],
  [{ event: 'suspended', path: 'a/s', by: 'ada' }, 'suspended: by ada'],
  [{ event: 'continued', path: 'a/s', by: 'ada', choice: 'skip' }, 'resumed: by ada: skip'],
  [{ event: 'taken_over', by: 'host-2' }, 'taken over: by host-2'],
  [{ event: 'finished', ok: true }, 'finished: passed'],
  [{ event: 'finished', ok: false, reason: 'held' }, 'finished: failed: held'],
];

it.each(ROWS)('%j reads the same in a terminal and in the inspector', (fact, inspected) => {
  const event = { ...fact, run: RUN, seq: 7, at } as RunEvent;
  const words = runWords(event);
  const { what, text } = wordsFor(event);
  expect(`${what}: ${text}`).toBe(inspected);
  const shown = runLines(event, { colour: false, progress: '', procedure: 'p' }).join('\n');
  const reason = words.verdict?.reason ?? '';
  // The command line shows the inputs of the run, not those of each step.
  const inputs = fact.event === 'started' ? words.inputs : '';
  for (const said of [words.text, ...(words.notes ?? []), reason, inputs ?? '']) {
    expect(shown).toContain(said);
    expect(text).toContain(said);
  }
});

it('has words for every kind of event and a meaning for every choice', () => {
  expect(new Set(ROWS.map(([{ event }]) => event))).toEqual(new Set(RUN_EVENT_KINDS));
  expect(Object.keys(MEANING_OF)).toEqual([...CHOICES]);
});

it('answers with the same command in a terminal and in the inspector', () => {
  const event = { event: 'asked', path: 's', prompt: '?', run: RUN, seq: 7, at } as const;
  const lines = runLines(event, { colour: false, progress: '', procedure: 'p' }).join('\n');
  const pending = { kind: 'ask', path: 's', prompt: '?', question: 7, at: 0 } as const;
  const [yes] = answerCommands(RUN, pending, 'http://127.0.0.1:8400');
  expect(lines.replace('yes|no', 'yes')).toContain(yes!.text);
});
