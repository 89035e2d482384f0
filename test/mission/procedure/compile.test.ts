/** Procedures as compiled: their paths, statements, calls, names, and how long they last. */

import { describe, expect, it } from 'vitest';
import { DRIVER_ANSWER_MS, GATEWAY_ANSWER_MS } from '../../../contract/limits/link.ts';
import { READBACK_WITHIN_MS } from '../../../contract/limits/run.ts';
import { TELECOMMAND_MARGIN_MS } from '../../../contract/limits/telecommand.ts';
import { compiled as compiledDocuments, demoDocuments, loaded } from '../documents.ts';
import { library, paths, procedure, proceduresOf, sat, statement, warnings } from './small-library.ts';

const wait = { wait: '1 s' };
const TELECOMMAND_MS = DRIVER_ANSWER_MS + GATEWAY_ANSWER_MS + TELECOMMAND_MARGIN_MS;

describe('the steps of a procedure', () => {
  it('MC-LOG-003 are designated by the names from the top, joined by slashes', () => {
    const { steps } = procedure([
      {
        step: 'a',
        do: [
          { step: 'b', do: [wait] },
          { step: 'c', do: [wait] },
        ],
      },
    ]);
    expect(paths(steps)).toEqual(['a', 'a/b', 'a/c']);
  });

  it('MC-LOG-004 procedure.P1 each run of bare statements is one inline step, counted from 1 in its parent', () => {
    const { steps } = procedure([
      wait,
      wait,
      { step: 'a', do: [wait, { step: 'b', do: [wait] }, wait] },
      wait,
    ]);
    expect(paths(steps)).toEqual(['#1', 'a', 'a/#1', 'a/b', 'a/#2', '#2']);
    expect(steps[0]).toMatchObject({ attempts: 1, statements: [{ ms: 1000 }, { ms: 1000 }] });
  });

  it('procedure.P1 a step of bare statements runs them itself', () => {
    const [step] = procedure([{ step: 'a', do: [wait, wait] }]).steps;
    expect(step).toMatchObject({ path: 'a', statements: [{ kind: 'wait' }, { kind: 'wait' }] });
    expect(step).not.toHaveProperty('steps');
  });

  it('procedure.P1 what an `if failed` holds counts on in its parent, and it and a call end a run of bare statements', () => {
    const { steps } = procedure(
      [
        wait,
        { 'if failed': [wait, { step: 'a', do: [wait] }] },
        wait,
        { call: 'other', roles: { sat: 'sat' } },
        wait,
      ],
      {},
      { other: { roles: sat, steps: [wait] } },
    );
    expect(paths(steps)).toEqual(['#1', '?', '#2', 'a', '#3', 'other', '#4']);
  });

  it('a step with an `if failed` in it holds steps', () => {
    const { steps } = procedure([{ step: 'a', do: [wait, { 'if failed': [wait] }] }]);
    expect(paths(steps)).toEqual(['a', 'a/#1', '?', 'a/#2']);
  });

  it.each([
    [undefined, 1, 0],
    [2, 3, 0],
    [{ attempts: 3, delay: '10 s' }, 3, 10_000],
    [{ attempts: 1 }, 1, 0],
  ])('retry %j is %d attempts, %d ms apart', (retry, attempts, delayMs) => {
    const [step] = procedure([{ step: 'a', ...(retry !== undefined && { retry }), do: [wait] }]).steps;
    expect(step).toMatchObject({ attempts, delayMs });
  });

  it('the order of the keys of a statement means nothing: canonical JSON sorts them', () => {
    expect(statement({ args: { mode: 'SAFE' }, send: 'sat.obc.set_mode' }, 'send').telecommand.name).toBe(
      'set_mode',
    );
  });
});

describe('MC-RUN-054 the statements', () => {
  it('send names role, component, telecommand, every argument, link', () => {
    const sent = statement(
      { send: 'sat.battery[2].set_heater', args: { below: '263.15 K' }, link: 'sband' },
      'send',
    );
    expect(sent).toMatchObject({ role: 'sat', link: 'sband', retry: 0, instance: { value: '2' } });
    expect(sent.telecommand.path).toBe('battery.set_heater');
    expect(sent.args.get('below')).toEqual({ value: -10 });
  });

  it('send has the defaults of the catalogue in place', () => {
    const { args } = statement({ send: 'sat.obc.set_watchdog' }, 'send');
    expect([...args]).toEqual([['period', { value: 60 }]]);
  });

  it('send takes instance and arguments from names', () => {
    const inputs = { cell: { type: 'instance', of: 'battery' }, below: { type: 'f32', unit: 'K' } };
    const sent = statement({ send: 'sat.battery[$cell].set_heater', args: { below: '$below' } }, 'send', {
      inputs,
    });
    expect(sent.instance).toEqual({ name: 'cell' });
    expect(sent.args.get('below')).toEqual({ name: 'below' });
  });

  it('a text that begins with a dollar sign is written with two', () => {
    const { args } = statement({ send: 'sat.obc.tell', args: { text: '$$cell' } }, 'send');
    expect(args.get('text')).toEqual({ value: '$cell' });
  });

  it('one that changes the state is never sent again by itself, and the document is warned', () => {
    const shot = { send: 'sat.camera[a].shoot', args: { exposure: '1 ms' }, retry: 1 };
    expect(statement(shot, 'send')).toMatchObject({ retry: 0, longestMs: TELECOMMAND_MS });
    expect(warnings([shot])).toMatch(/retry camera\.shoot changes the state/);
    expect(warnings([{ send: 'sat.obc.ping', retry: 1 }])).toBe('');
  });

  it('expect, check and wait_until keep their condition, their time, and the types of the answers they name', () => {
    expect(statement({ expect: 'sat.obc.mode == SAFE', within: '30 s' }, 'expect')).toMatchObject({
      condition: 'sat.obc.mode == SAFE',
      withinMs: 30_000,
      answers: {},
    });
    expect(statement({ check: 'sat.obc.uptime > 1 min' }, 'check')).toMatchObject({ maxAgeMs: 60_000 });
    expect(statement({ check: 'sat.obc.uptime > 1 min', max_age: '5 s' }, 'check')).toMatchObject({
      maxAgeMs: 5000,
    });
    const written = { wait_until: 'sat.obc.counter changes', timeout: '10 min' };
    expect(statement(written, 'wait_until')).toMatchObject({ withinMs: 600_000 });
    const asked = { ask: 'Level?', as: 'level', type: { type: 'f64', unit: 'dB' }, timeout: '1 min' };
    const [node] = procedure([asked, { check: '$level > $floor' }], {
      inputs: { floor: { type: 'f64', unit: 'dB', default: '3 dB' } },
    }).steps;
    expect(node).toMatchObject({ statements: [{}, { answers: { level: { type: 'f64', unit: 'dB' } } }] });
  });

  it('texts show names and measures, and braces when doubled', () => {
    const inputs = { cell: { type: 'instance', of: 'battery' }, level: { type: 'f64', unit: 'dB' } };
    const text = '{{{$level}}} {sat.battery[$cell].voltage}, {sat.battery[1].voltage}';
    expect(statement({ log: text }, 'log', { inputs }).message).toEqual([
      '{',
      { name: 'level', unit: 'dB' },
      '} ',
      { role: 'sat', component: 'battery', instance: { name: 'cell' }, measure: 'voltage' },
      ', ',
      { role: 'sat', component: 'battery', instance: { value: '1' }, measure: 'voltage' },
    ]);
  });

  it('ask has a typed answer or none, confirm a role', () => {
    const type = { type: 'u8', range: [1, 9] };
    expect(statement({ ask: 'Which {sat.obc.mode}?', as: 'n', type, timeout: '5 min' }, 'ask')).toMatchObject(
      {
        as: 'n',
        type,
        timeoutMs: 300_000,
        prompt: ['Which ', { measure: 'mode' }, '?'],
      },
    );
    expect(statement({ ask: 'Well?' }, 'ask')).toMatchObject({
      as: undefined,
      type: undefined,
      timeoutMs: null,
    });
    expect(statement({ confirm: 'Go', role: 'supervisor' }, 'confirm')).toMatchObject({ role: 'supervisor' });
  });

  it('an answer of an enumeration has its values', () => {
    const asked = statement({ ask: 'Mode?', as: 'm', type: { type: 'Mode' } }, 'ask');
    expect(asked.type).toEqual({
      type: 'Mode',
      values: [
        ['SAFE', 0],
        ['NOMINAL', 1],
      ],
    });
  });

  it('configure and set_mode name role and mode', () => {
    expect(statement({ configure: 'sat', mode: 'nominal' }, 'configure')).toMatchObject({
      role: 'sat',
      mode: 'nominal',
      withinMs: READBACK_WITHIN_MS,
    });
    expect(statement({ set_mode: 'sat', mode: 'safe' }, 'set_mode')).toMatchObject({
      role: 'sat',
      mode: 'safe',
    });
  });

  it('download and upload name a file by an input', () => {
    const inputs = { image: { type: 'file_id', of: 'image' }, patch: { type: 'file', default: null } };
    expect(statement({ download: 'sat.files[$image]', priority: 5 }, 'download', { inputs })).toMatchObject({
      role: 'sat',
      component: 'files',
      file: { name: 'image' },
      priority: 5,
    });
    expect(statement({ upload: 'sat.files[$image]', content: '$patch' }, 'upload', { inputs })).toMatchObject(
      {
        file: { name: 'image' },
        content: { name: 'patch' },
      },
    );
    expect(statement({ send: 'sat.files[$image].erase' }, 'send', { inputs }).instance).toEqual({
      name: 'image',
    });
  });

  it('the demo mission says with them what its spacecraft is operated by, without a warning', () => {
    expect(compiledDocuments(demoDocuments()).warnings).toEqual([]);
    const procedures = loaded(demoDocuments()).libraries.get('ops@1.0.0')?.procedures;
    expect([...(procedures?.keys() ?? [])].sort()).toEqual(
      ['health_check', 'long_check', 'put_file', 'reboot_obc', 'shed_load', 'take_image'].sort(),
    );
    expect(procedures?.get('long_check')?.steps).toHaveLength(30);
    expect(procedures?.get('health_check')).toMatchObject({
      sends: true,
      changesState: false,
      hazardous: [],
    });
    expect(procedures?.get('reboot_obc')).toMatchObject({
      draft: true,
      allowedIn: ['bench', 'rehearsal', 'in_orbit'],
      hazardous: [{ path: 'reboot', telecommand: 'sat.obc.reboot' }],
    });
  });
});

describe('calls', () => {
  const other = {
    roles: { craft: 'box' },
    inputs: { cell: { type: 'instance', of: 'battery' }, ms: { type: 'f64', unit: 'ms', default: '1 s' } },
    steps: [{ step: 'go', do: [{ send: 'craft.obc.reboot' }] }],
  };

  it('bind roles and inputs, what is left out takes its default', () => {
    const call = { call: 'other', roles: { craft: 'sat' }, inputs: { cell: '1' } };
    const [node] = procedure([call], {}, { other }).steps;
    expect(node).toMatchObject({ kind: 'call', path: 'other', procedure: { name: 'other' } });
    if (node?.kind !== 'call') return;
    expect([...node.roles]).toEqual([['craft', 'sat']]);
    expect([...node.inputs]).toEqual([['cell', { value: '1' }]]);
  });

  it('pass inputs on by name', () => {
    const inputs = { time: { type: 'f64', unit: 's' }, which: { type: 'instance', of: 'battery' } };
    const call = { call: 'other', roles: { craft: 'sat' }, inputs: { cell: '$which', ms: '$time' } };
    const [node] = procedure([call], { inputs }, { other }).steps;
    if (node?.kind !== 'call') expect.fail('no call');
    expect([...node.inputs]).toEqual([
      ['cell', { name: 'which' }],
      ['ms', { name: 'time' }],
    ]);
  });

  it('bring in what the called procedure sends, by the whole path', () => {
    const call = { call: 'other', roles: { craft: 'sat' }, inputs: { cell: '1' } };
    expect(procedure([{ step: 'a', do: [call] }], {}, { other })).toMatchObject({
      sends: true,
      changesState: true,
      hazardous: [{ path: 'a/other/go', telecommand: 'craft.obc.reboot' }],
    });
  });

  it('reach other libraries by name, or by name and version', () => {
    const far = library({ look: { roles: sat, steps: [wait] } }, { library: 'far', version: '3.0.0' });
    const main = (of: string) =>
      library({ main: { roles: sat, steps: [{ call: 'look', library: of, roles: sat2 }] } });
    const sat2 = { sat: 'sat' };
    for (const of of ['far', 'far@3.0.0']) {
      const [node] = proceduresOf(main(of), far).get('main')?.steps ?? [];
      expect(node).toMatchObject({ procedure: { library: 'far@3.0.0', name: 'look' } });
    }
  });
});

describe('what is known of a procedure', () => {
  it.each([
    [[wait, { log: 'x' }], false, false],
    [[{ send: 'sat.obc.ping' }], true, false],
    [[{ send: 'sat.obc.set_watchdog' }], true, true],
    [[wait, { 'if failed': [{ send: 'sat.obc.set_watchdog' }] }], true, true],
    [[{ step: 'a', do: [{ step: 'b', do: [{ send: 'sat.obc.ping' }] }] }], true, false],
    [[{ configure: 'sat', mode: 'safe' }], true, true],
    [[{ set_mode: 'sat', mode: 'safe' }], false, true],
  ])('%j sends: %s, changes the state: %s', (steps, sends, changesState) => {
    expect(procedure(steps)).toMatchObject({ sends, changesState });
  });

  it('a hazardous telecommand is known by the path of its step, in a contingency too', () => {
    const { hazardous } = procedure([
      { step: 'a', do: [{ step: 'b', do: [{ send: 'sat.obc.reboot' }] }] },
      { 'if failed': [{ send: 'sat.obc.reboot' }] },
    ]);
    expect(hazardous.map(({ path }) => path)).toEqual(['a/b', '#1']);
  });

  it('status and environments are as declared', () => {
    expect(procedure([wait], { status: 'draft', allowed_in: ['bench'] })).toMatchObject({
      draft: true,
      allowedIn: ['bench'],
    });
    expect(procedure([wait])).toMatchObject({ draft: false, allowedIn: undefined });
  });

  it('inputs have their type and their default read in their unit', () => {
    const { inputs } = procedure([wait], {
      inputs: {
        a: { type: 'f64', unit: 'ms', default: '2 s', range: ['1 ms', '5 s'] },
        b: { type: 'file', default: null },
        c: { type: 'Mode' },
        d: { type: 'instance', of: 'battery', default: 2 },
        e: { type: 'string', default: 'unsound' },
      },
    });
    expect(inputs.get('a')).toMatchObject({
      type: { type: 'f64', unit: 'ms', range: [1, 5000] },
      default: 2000,
    });
    expect(inputs.get('b')?.default).toBeNull();
    expect(inputs.get('c')?.default).toBeUndefined();
    expect(inputs.get('d')?.default).toBe('2');
    expect(inputs.get('e')?.default).toBe('unsound');
  });
});

describe('MC-RUN-057 the longest duration', () => {
  const longest = (...steps: object[]): number | null => procedure(steps).maxDurationMs;

  it('of a telecommand is its driver, its gateway, its verification and a margin', () => {
    expect(longest({ send: 'sat.obc.set_mode', args: { mode: 'SAFE' } })).toBe(TELECOMMAND_MS);
    expect(longest({ send: 'sat.obc.ping' })).toBe(TELECOMMAND_MS + 10_000);
    expect(longest({ send: 'sat.obc.ping', retry: 2 })).toBe(3 * (TELECOMMAND_MS + 10_000));
  });

  it('of a step is that of its statements for each attempt, with the pauses between', () => {
    const steps = [
      wait,
      { expect: 'sat.obc.uptime > 0 s', within: '30 s' },
      { log: 'x' },
      { check: 'sat.obc.uptime > 0 s' },
    ];
    expect(longest({ step: 'a', retry: { attempts: 3, delay: '10 s' }, do: steps })).toBe(
      3 * 31_000 + 2 * 10_000,
    );
    expect(longest({ step: 'a', retry: 1, do: [{ step: 'b', retry: 1, do: [wait] }] })).toBe(4_000);
  });

  it('counts contingencies, calls, and what waits for a condition or an answer', () => {
    expect(longest(wait, { 'if failed': [{ wait: '2 s' }] }, { wait: '4 s' })).toBe(7_000);
    expect(longest({ wait_until: 'sat.obc.uptime > 0 s', timeout: '1 min' })).toBe(60_000);
    expect(longest({ ask: 'x', timeout: '5 min' })).toBe(300_000);
    const call = { call: 'other', roles: { sat: 'sat' } };
    const other = { roles: sat, steps: [{ wait: '8 s' }] };
    expect(procedure([{ step: 'a', retry: 1, do: [call] }], {}, { other }).maxDurationMs).toBe(16_000);
  });

  it('of a configure is every setter of the platform for every instance, then the readbacks', () => {
    const setters = TELECOMMAND_MS + 2 * (TELECOMMAND_MS + 20_000);
    expect(longest({ configure: 'sat', mode: 'safe' })).toBe(setters + READBACK_WITHIN_MS);
    expect(longest({ configure: 'sat', mode: 'safe', within: '5 s' })).toBe(setters + 5_000);
  });

  it('has no bound with a question without timeout or a confirmation, wherever it stands', () => {
    expect(longest(wait, { step: 'a', do: [{ ask: 'x' }] })).toBeNull();
    expect(longest({ confirm: 'x', role: 'supervisor' })).toBeNull();
    expect(longest(wait, { 'if failed': [{ ask: 'x' }] })).toBeNull();
    const call = { call: 'other', roles: { sat: 'sat' } };
    expect(procedure([call], {}, { other: { roles: sat, steps: [{ ask: 'x' }] } }).maxDurationMs).toBeNull();
  });

  it('does not count who confirms a hazardous telecommand', () => {
    expect(longest({ send: 'sat.obc.reboot' })).toBe(TELECOMMAND_MS + 60_000);
  });
});
