/** What `mcs run` shows and reads, without a service. */

import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type RunLook, runLines, stateOf } from '../../cli/run-line.ts';
import { RunProgress } from '../../cli/run-progress.ts';
import { readFault } from '../../cli/run-start.ts';
import { identityHeaders, serviceOf } from '../../cli/service.ts';
import { readPairs, readValue } from '../../cli/written-value.ts';
import type { RunEvent, RunFact } from '../../contract/run-event.ts';
import { RUN_EVENT_KINDS } from '../../contract/run-event.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const TC = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const plain: RunLook = { colour: false, progress: '', procedure: 'take_image' };

function eventOf(fact: RunFact): RunEvent {
  return { ...fact, run: RUN, seq: 1, at: '2026-03-01T12:00:04.250Z' } as RunEvent;
}

function shown(fact: RunFact, look: Partial<RunLook> = {}): string[] {
  return runLines(eventOf(fact), { ...plain, ...look });
}

const started: RunFact = {
  event: 'started',
  procedure: 'take_image',
  library: 'ops@2.1.0',
  environment: 'bench',
  targets: { sat: 'sat1' },
  ir: 'ab',
  by: 'ada',
  inputs: { exposure: 20, patch: null },
};

/** Text behind the time and the place, of one of each kind. */
const TEXTS: [RunFact, string[]][] = [
  [started, ['take_image of ops@2.1.0 in bench, sat=sat1, by ada', '  inputs exposure=20 patch=none']],
  [{ event: 'procedure_started', path: 'fetch/shed_load' }, ['  call fetch/shed_load']],
  [{ event: 'procedure_finished', path: 'fetch/shed_load', ok: false }, ['  call fetch/shed_load FAILED']],
  [{ event: 'step_started', path: 'shoot', attempt: 1, inputs: {} }, ['step shoot']],
  [{ event: 'step_started', path: 'a/shoot', attempt: 2, inputs: {} }, ['  step a/shoot, attempt 2']],
  [{ event: 'step_finished', path: 'shoot', attempt: 1, ok: true }, ['step shoot ok']],
  [
    { event: 'step_finished', path: 'shoot', attempt: 1, ok: false, reason: 'no echo' },
    ['step shoot FAILED: no echo'],
  ],
  [
    {
      event: 'telecommand_sent',
      path: 'shoot',
      tc: TC,
      target: 'sat1',
      telecommand: 'obc.ping',
      changes_state: false,
      retry_of: RUN,
    },
    [`  send sat1 obc.ping  ${TC}, retry of ${RUN}`],
  ],
  [{ event: 'telecommand_finished', path: 'shoot', tc: TC, state: 'VERIFIED', acks: [] }, ['  VERIFIED']],
  [
    { event: 'telecommand_finished', path: 's', tc: TC, state: 'REJECTED', detail: 'low', acks: [] },
    ['  REJECTED: low'],
  ],
  [
    {
      event: 'checked',
      path: 's',
      statement: 'wait_until',
      condition: 'sat.a.b > 1',
      ok: true,
      samples: [],
    },
    ['  wait until sat.a.b > 1 ok'],
  ],
  [{ event: 'logged', path: 's', message: 'hello', samples: [] }, ['  "hello"']],
  [
    { event: 'asked', path: 'shoot', prompt: 'Level?', role: 'supervisor' },
    [
      '  ? Level? (role supervisor)',
      `    answer: mcs run answer ${RUN} yes|no --question 1, or the value asked for`,
    ],
  ],
  [{ event: 'answered', path: 's', accepted: true, by: 'ada', value: 12 }, ['  yes: 12, by ada']],
  [{ event: 'answered', path: 's', accepted: false }, ['  no, acknowledged automatically']],
  [
    { event: 'answer_refused', path: 's', by: 'bob', reason: 'not a supervisor' },
    ['  answer of bob not taken: not a supervisor'],
  ],
  [{ event: 'mode_changed', path: 's', target: 'sat1', mode: 'safe' }, ['  mode of sat1 is now safe']],
  [
    { event: 'decision_required', path: 's', reason: 'no echo' },
    ['  ? step s failed: no echo', `    decide: mcs run answer ${RUN} replay|skip|fail|abort --question 1`],
  ],
  [
    { event: 'suspended', path: 's', by: 'ada' },
    ['  suspended by ada', `    resume: mcs run resume ${RUN} [--choice replay|skip|fail|abort]`],
  ],
  [{ event: 'continued', path: 's', by: 'ada', choice: 'skip' }, ['  resumed by ada: skip']],
  [{ event: 'taken_over', by: 'host-2' }, ['taken over by host-2']],
  [{ event: 'finished', ok: true }, ['passed']],
  [{ event: 'finished', ok: false, reason: 'sat1 is held' }, ['run FAILED: sat1 is held']],
];

describe('the lines of a run', () => {
  it.each(TEXTS)('%j', (fact, texts) => {
    const lines = shown(fact, { progress: '3/30' });
    expect(lines[0]).toMatch(/^12:00:04\.250 {3}3\/30 {2}/);
    expect(lines.map((line) => line.slice(21))).toEqual(texts);
  });

  it('are there for every kind of event', () => {
    expect([...new Set(TEXTS.map(([{ event }]) => event))].sort()).toEqual([...RUN_EVENT_KINDS].sort());
  });

  it('leave out the beginning and the end of the procedure of the run itself', () => {
    expect(shown({ event: 'procedure_started', path: 'take_image' })).toEqual([]);
    expect(shown({ event: 'procedure_finished', path: 'take_image', ok: true })).toEqual([]);
  });

  it('run-line.L1 show no control character of a document or a spacecraft', () => {
    const evil: RunFact = {
      event: 'logged',
      path: 's',
      message: '\u001b]0;owned\u0007\u009b31m\n',
      samples: [],
    };
    expect(shown(evil).join('')).not.toMatch(/\p{Cc}/u);
  });

  it('have colour on a terminal only', () => {
    const failed: RunFact = { event: 'finished', ok: false, reason: 'r' };
    expect(shown(failed)[0]).not.toContain('\u001b');
    const [line] = shown(failed, { colour: true });
    expect(line?.startsWith('\u001b[31m')).toBe(true);
    expect(line?.endsWith('\u001b[0m')).toBe(true);
  });
});

describe('the state of a run in the list', () => {
  it.each([
    [{}, 'submitted'],
    [{ started_at: 'x' }, 'running'],
    [{ started_at: 'x', pending: { path: 's', kind: 'ask' } }, 'asks'],
    [{ started_at: 'x', pending: { path: 's', kind: 'decision' } }, 'decision'],
    [{ started_at: 'x', suspended: true }, 'suspended'],
    [{ started_at: 'x', finished: true }, 'passed'],
    [{ started_at: 'x', finished: false }, 'FAILED'],
  ] as const)('%j is %s', (summary, word) => {
    expect(stateOf(summary)).toBe(word);
  });
});

describe('the progress of a run', () => {
  const step = (path: string, if_failed = false) => ({ path, kind: 'step' as const, if_failed });
  const begin = (path: string, attempt = 1) => eventOf({ event: 'step_started', path, attempt, inputs: {} });

  it('counts the steps begun of those that pass, each once', () => {
    const group = { path: 'g', kind: 'group', if_failed: false } as const;
    const progress = new RunProgress([group, step('g/a'), step('g/b'), step('mend', true)]);
    expect(['g', 'g/a', 'g/a', 'g/b', 'mend'].map((path) => progress.at(begin(path)))).toEqual([
      '',
      '1/2',
      '1/2',
      '2/2',
      '',
    ]);
  });

  it('says nothing when the steps are not known', () => {
    expect(new RunProgress([]).at(begin('a'))).toBe('');
  });
});

describe('what is written on the command line', () => {
  it.each([
    ['3', 3],
    ['-0.5', -0.5],
    ['1e3', 1000],
    ['0010', '0010'],
    ['20 ms', '20 ms'],
    ['true', true],
    ['12345678901234567890', '12345678901234567890'],
    ['', ''],
  ])('%s is the value %j', (text, value) => {
    expect(readValue(text)).toBe(value);
  });

  it('a pair is cut at its first =, and anything else is refused', () => {
    expect(readPairs(['a=b=c', 'd='], 'an input')).toEqual([
      ['a', 'b=c'],
      ['d', ''],
    ]);
    expect(() => readPairs(['=x'], 'an input')).toThrow('an input is written name=value, not "=x"');
    expect(() => readPairs(['x'], 'an input')).toThrow('name=value');
  });

  it.each([
    ['sat:cell_drain', { target: 'sat', fault: 'cell_drain' }],
    ['sat:x+10 s', { target: 'sat', fault: 'x', at: { after: '10 s' } }],
    ['sat:x@fetch/#1', { target: 'sat', fault: 'x', at: { step: 'fetch/#1' } }],
    ['sat:x@shoot+1 min', { target: 'sat', fault: 'x', at: { step: 'shoot', after: '1 min' } }],
  ])('%s is a fault and its time', (text, fault) => {
    expect(readFault(text)).toEqual(fault);
  });

  it.each(['sat', ':x', 'sat:', 'sat:x@', 'sat:x+'])('%s is no fault', (text) => {
    expect(() => readFault(text)).toThrow('role:fault[@step][+delay]');
  });
});

describe('who calls', () => {
  it('a token goes alone; without one the declared name goes with its roles', () => {
    const env = { USER: 'ada', MCS_TOKEN: '', MCS_API: 'http://x:1/' };
    expect(serviceOf({}, env)).toEqual({
      api: 'http://x:1',
      user: 'ada',
      roles: undefined,
      token: undefined,
    });
    expect(identityHeaders(serviceOf({ role: 'a,b' }, env))).toEqual({
      'x-mcs-user': 'ada',
      'x-mcs-role': 'a,b',
    });
    expect(identityHeaders(serviceOf({}, { ...env, MCS_TOKEN: ' t \n' }))).toEqual({
      authorization: 'Bearer t',
    });
    expect(identityHeaders(serviceOf({ token: 'u' }, { ...env, MCS_TOKEN: 't' }))).toEqual({
      authorization: 'Bearer u',
    });
    // A container without $USER is still somebody's.
    expect(identityHeaders(serviceOf({}, {}))).toEqual({ 'x-mcs-user': userInfo().username });
  });

  it('header-text.N1 arrives whole, with whatever letters', () => {
    expect(identityHeaders(serviceOf({ user: 'José', role: 'é' }, {}))).toEqual({
      'x-mcs-user': "UTF-8''Jos%C3%A9",
      'x-mcs-role': "UTF-8''%C3%A9",
    });
  });

  it('is refused where a header would not carry the token whole, without a word of it', () => {
    expect(() => identityHeaders(serviceOf({ token: 'secret\nsecret' }, {}))).toThrow(
      /^the token contains(?!.*secret)/,
    );
  });
});
