/** Every fault a procedure can have, where it stands and how to repair it. */

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { faults, faultsIn, library, procedure, sat } from './small-library.ts';

const wait = { wait: '1 s' };

/** Steps, other parts of the procedure, and what is said. */
type Row = readonly [steps: readonly object[], said: string, parts?: object];

function walk(rows: readonly Row[]): void {
  it.each(rows.map(([steps, said, parts]) => [JSON.stringify(steps), steps, said, parts] as const))(
    '%s',
    (_, steps, said, parts) => {
      expect(faults(steps, parts)).toMatch(new RegExp(said));
    },
  );
}

describe('faults of the form of a statement', () => {
  walk([
    [[{ sned: 'sat.obc.ping' }], 'steps\\[0\\]\\.sned "sned" is not a statement \\(did you mean "send"'],
    [[{ send: 'sat.obc.ping', wait: '1 s' }], 'it is a send and a wait'],
    [
      [{ send: 'sat.obc.ping', lnik: 'uhf' }],
      'steps\\[0\\]\\.lnik unknown key "lnik" \\(did you mean "link"',
    ],
    [[{ wait: 5 }], 'steps\\[0\\]\\.wait is the number 5'],
    [[{ wait: '5' }], 'wait "5" is not a quantity'],
    [[{ wait: '5 V' }], 'wait "5 V" is a voltage'],
    [[{ wait: '8 d' }], 'wait 8 d is longer than a statement may last .*168 h.*schedule'],
    [[{ expect: 'sat.obc.uptime > 0 s' }], 'the key "within" is missing'],
    [[{ wait_until: 'sat.obc.uptime > 0 s' }], 'the key "timeout" is missing'],
    [[{ expect: 'sat.obc.uptime > 0 s', within: '0 s' }], 'within the time is zero'],
    [[{ confirm: 'Go' }], 'the key "role" is missing'],
    [[{ step: 'a', do: [] }], 'steps\\[0\\]\\.do it needs a list of statements'],
    [[{ step: 'a', do: wait }], 'steps\\[0\\]\\.do it needs a list of statements'],
    [[{ step: 'a', do: ['wait'] }], 'steps\\[0\\]\\.do\\[0\\] not a statement'],
    [[{ step: 'a/b', do: [wait] }], 'steps\\[0\\]\\.step is "a/b", which is not a valid name'],
    [[{ step: 'a', retry: 100, do: [wait] }], 'retry is 100; the maximum is 99'],
    [[{ step: 'a', retry: { attempts: 0 }, do: [wait] }], 'attempts is 0; the minimum is 1'],
    [[{ step: 'a', retry: { attempts: 2, delay: '-1 s' }, do: [wait] }], 'delay "-1 s" is negative'],
    [[wait, { 'if failed': [] }], 'if failed it needs a list'],
    [[{ 'if failed': [wait] }, wait], 'no statement is before it, so it never runs'],
    [
      [{ step: 'a', do: [wait] }, wait, { step: 'a', do: [wait] }],
      'steps\\[2\\]\\.step there is a step "a" beside it',
    ],
    [
      [{ step: 'a', do: [wait] }, { 'if failed': [{ step: 'a', do: [wait] }] }],
      'if failed\\[0\\]\\.step there is a step "a" beside it',
    ],
  ]);
});

describe('faults of what is sent', () => {
  walk([
    [[{ send: 'ping' }], 'send "ping" is not of this form \\(write role\\.component\\.telecommand'],
    [[{ send: 'sta.obc.ping' }], 'send no role "sta" \\(did you mean "sat"'],
    [[{ send: 'sat.odc.ping' }], 'box@1\\.0\\.0 has no component "odc" \\(did you mean "obc"'],
    [[{ send: 'sat.obc.pin' }], 'obc has no telecommand "pin" \\(did you mean "ping"'],
    [[{ send: 'sat.obc' }], 'it names no telecommand'],
    [[{ send: 'sat.obc[1].ping' }], 'obc\\.ping is for no instance'],
    [[{ send: 'sat.battery.set_heater', args: { below: 1 } }], 'battery has several instances'],
    [[{ send: 'sat.battery[3].set_heater', args: { below: 1 } }], 'battery has no instance "3"'],
    [[{ send: 'sat.battery[$c].set_heater', args: { below: 1 } }], 'nothing is named \\$c here'],
    [[{ send: 'sat.obc.set_mode' }], 'args argument "mode" of obc\\.set_mode has no value and no default'],
    [[{ send: 'sat.obc.set_mode', args: { mode: 'SAVE' } }], 'args\\.mode "SAVE" is no value of Mode'],
    [
      [{ send: 'sat.obc.set_mode', args: { mode: 'SAFE', mdoe: 1 } }],
      'args\\.mdoe obc\\.set_mode has no argument "mdoe"',
    ],
    [[{ send: 'sat.obc.set_watchdog', args: { period: '1 s' } }], 'args\\.period .*outside its range'],
    [[{ send: 'sat.obc.set_watchdog', args: { period: '60 V' } }], 'args\\.period "60 V" is a voltage'],
    [[{ send: 'sat.obc.ping', link: 'shf' }], 'link no target of box@1\\.0\\.0 has a link "shf"'],
    [[{ send: 'sat.files[7].erase' }], 'send "7" is a literal file identifier'],
    [[{ send: 'sat.files.erase' }], 'send it names no file'],
    [
      [{ send: 'sat.files[$x].list' }],
      'files\\.list is for no instance',
      { inputs: { x: { type: 'file_id', of: 'image' } } },
    ],
  ]);
});

describe('faults of names', () => {
  const exposure = (type: object): object => ({ inputs: { e: type } });
  const shot = [{ send: 'sat.camera[a].shoot', args: { exposure: '$e' } }];
  walk([
    [shot, 'args\\.exposure nothing is named \\$e here'],
    [shot, '\\$e is f64 in V, f64 in ms is needed', exposure({ type: 'f64', unit: 'V' })],
    [shot, '\\$e is f64, f64 in ms is needed', exposure({ type: 'f64' })],
    [shot, '\\$e is string, f64 in ms is needed', exposure({ type: 'string' })],
    [shot, '\\$e may be null', exposure({ type: 'f64', unit: 'ms', default: null })],
    [
      [{ send: 'sat.obc.set_watchdog', args: { period: '$e' } }],
      '\\$e is f64 in s, u16 in s is needed',
      exposure({ type: 'f64', unit: 's' }),
    ],
    [
      [{ send: 'sat.battery[$e].set_heater', args: { below: 1 } }],
      '\\$e is instance of camera, instance of battery is needed',
      exposure({ type: 'instance', of: 'camera' }),
    ],
    [
      [{ send: 'sat.battery[$e].set_heater', args: { below: 1 } }],
      '\\$e may be null',
      exposure({ type: 'instance', of: 'battery', default: null }),
    ],
    [
      [{ check: 'sat.obc.uptime > $e' }],
      '\\$e may be null',
      exposure({ type: 'u32', unit: 's', default: null }),
    ],
    [
      [{ log: '{sat.battery[$e].voltage}' }],
      '\\$e may be null',
      exposure({ type: 'instance', of: 'battery', default: null }),
    ],
  ]);

  it('procedure.P2 an answer is not known before its question, nor in another step', () => {
    const ask = { ask: 'x', as: 'n', type: { type: 'u8' } };
    const log = { log: '{$n}' };
    expect(procedure([{ step: 'a', do: [ask, log] }]).steps).toHaveLength(1);
    expect(faults([{ step: 'a', do: [log, ask] }])).toMatch(/nothing is named \$n here/);
    expect(
      faults([
        { step: 'a', do: [ask] },
        { step: 'b', do: [log] },
      ]),
    ).toMatch(/nothing is named \$n here/);
    expect(faults([ask, { step: 'b', do: [wait] }, log])).toMatch(/nothing is named \$n here/);
    const call = { call: 'other', roles: { sat: 'sat' }, inputs: { n: '$n' } };
    const other = { roles: sat, inputs: { n: { type: 'u8' } }, steps: [wait] };
    expect(faults([ask, call], {}, { other })).toMatch(/nothing is named \$n here/);
  });

  it('an answer shadows neither an input nor an answer of its step', () => {
    const ask = { ask: 'x', as: 'n', type: { type: 'u8' } };
    expect(faults([ask], { inputs: { n: { type: 'u8' } } })).toMatch(/as "n" is an input already/);
    expect(faults([ask, ask])).toMatch(/steps\[1\]\.as "n" was answered before in this step/);
    expect(
      procedure([
        { step: 'a', do: [ask] },
        { step: 'b', do: [ask] },
      ]).steps,
    ).toHaveLength(2);
  });

  it('what names an input with a fault of its own is not reported', () => {
    const found = faults([{ log: '{$n}' }, { check: '$n > 1' }], { inputs: { n: { type: 'u99' } } });
    expect(found.split('\n')).toHaveLength(1);
    expect(found).toMatch(/inputs\.n\.type unknown type "u99"/);
  });
});

describe('faults of conditions and texts', () => {
  walk([
    [[{ check: 'sat.obc.uptime' }], 'check a condition is expected'],
    [[{ check: 'obc.uptime > 1 s' }], 'check no role "obc"'],
    [[{ check: 'sat.obc.uptime > 1 V' }], 'check .*cannot be compared'],
    [[{ check: 'sat.obc.counter changes' }], 'check it is evaluated once'],
    [[{ check: 'sat.obc.uptime >' }], 'check the condition ends too early'],
    [[{ expect: '$n > 1', within: '1 s' }], 'expect it names no measure', { inputs: { n: { type: 'u8' } } }],
    [[{ wait_until: 'sat.obc.mode == OFF', timeout: '1 s' }], '"OFF" is no value of Mode'],
    [[{ log: '{sat.obc.tim}' }], 'log obc has no measure "tim"'],
    [[{ log: '{sat.obc.uptime > 1 s}' }], 'log .*shows nothing'],
    [[{ log: '{mode}' }], 'log {mode} shows nothing'],
    [[{ log: '{}' }], 'log {} shows nothing'],
    [[{ log: 'a { b' }], 'log an unmatched brace at character 3'],
    [[{ log: '{sat.battery.voltage}' }], 'battery needs an instance'],
    [[{ ask: '{$x}' }], 'ask nothing is named \\$x here'],
    [[{ confirm: '{$x}', role: 'a' }], 'confirm nothing is named \\$x here'],
  ]);
});

describe('faults of questions, modes and transfers', () => {
  const image = {
    inputs: { image: { type: 'file_id', of: 'image' }, n: { type: 'u8' }, patch: { type: 'file' } },
  };
  walk([
    [[{ ask: 'x', as: 'n' }], 'as the answer n has no type'],
    [[{ ask: 'x', type: { type: 'u8' } }], 'type the answer has a type and no name'],
    [[{ ask: 'x', as: 'n', type: { type: 'u9' } }], 'type\\.type unknown type "u9"'],
    [[{ ask: 'x', timeout: '0 s' }], 'timeout the time is zero'],
    [[{ configure: 'sta', mode: 'safe' }], 'configure no role "sta"'],
    [
      [{ configure: 'sat', mode: 'save' }],
      'mode no target of box@1\\.0\\.0 has a mode "save" \\(did you mean "safe"',
    ],
    [[{ set_mode: 'sat', mode: 'nomnal' }], 'mode no target of box@1\\.0\\.0 has a mode'],
    [[{ download: 'sat.files[7]' }], 'download "7" is a literal file identifier'],
    [[{ download: 'sat.obc[$image]' }], 'obc is not the component of the on-board directory', image],
    [[{ download: 'sat.files[$n]' }], '\\$n is u8, file_id is needed', image],
    [[{ download: 'sat.files[$image].size' }], 'names more than a file', image],
    [[{ upload: 'sat.files[$image]', content: '$n' }], 'content \\$n is u8, file is needed', image],
    [[{ upload: 'sat.files[$image]', content: 'abc' }], 'content "abc" is not the name of an input', image],
  ]);

  it('MC-XFER-062 the file of a download is an input of its type, never a literal identifier', () => {
    const inputs = { image: { type: 'file_id', of: 'image' } };
    expect(procedure([{ download: 'sat.files[$image]' }], { inputs }).steps).toHaveLength(1);
    for (const literal of ['7', '"7"'])
      expect(faults([{ download: `sat.files[${literal}]` }], { inputs })).toContain(
        'declare an input of type file_id',
      );
    expect(faults([{ download: 'sat.files' }], { inputs })).not.toBe('');
  });

  it('a mode is nobody’s slip while no target is of the platform', () => {
    const steps = [{ configure: 'pod', mode: 'whatever' }];
    expect(procedure(steps, { roles: { pod: 'pod' } }).steps).toHaveLength(1);
  });
});

describe('faults of roles and inputs', () => {
  const inputs = (n: object): object => ({ inputs: { n } });
  walk([
    [[wait], 'roles\\.sat platform "bxo" is not imported \\(did you mean "box"', { roles: { sat: 'bxo' } }],
    [[wait], 'allowed_in\\[0\\] no environment "flight"', { allowed_in: ['flight'] }],
    [[wait], 'n\\.type unknown type "mode" \\(did you mean "Mode"', inputs({ type: 'mode' })],
    [[wait], 'n\\.unit unknown unit "sec"', inputs({ type: 'f64', unit: 'sec' })],
    [[wait], 'n\\.unit bool has no unit', inputs({ type: 'bool', unit: 's' })],
    [[wait], 'n\\.range bool has no range', inputs({ type: 'bool', range: [0, 1] })],
    [[wait], 'n\\.range the low side', inputs({ type: 'u8', range: [2, 1] })],
    [[wait], 'n\\.of only instance and file_id', inputs({ type: 'u8', of: 'battery' })],
    [[wait], 'n instance without its object', inputs({ type: 'instance' })],
    [[wait], 'n\\.of component obc has no instances', inputs({ type: 'instance', of: 'obc' })],
    [
      [wait],
      'n\\.of no platform of a role has a component "batery" \\(did you mean',
      inputs({ type: 'instance', of: 'batery' }),
    ],
    [[wait], 'n\\.of no platform of a role has a file type "img"', inputs({ type: 'file_id', of: 'img' })],
    [[wait], 'n\\.default "5 V" is a voltage', inputs({ type: 'f64', unit: 's', default: '5 V' })],
    [[wait], 'n\\.default .*outside its range', inputs({ type: 'u8', range: [1, 2], default: 3 })],
    [
      [wait],
      'n\\.default battery has no instance "9"',
      inputs({ type: 'instance', of: 'battery', default: '9' }),
    ],
    [
      [wait],
      'n\\.default a file on board is not known',
      inputs({ type: 'file_id', of: 'image', default: 7 }),
    ],
    [
      [wait],
      'different enumerations "Mode"',
      { roles: { sat: 'box', pod: 'pod' }, ...inputs({ type: 'Mode' }) },
    ],
    [
      [wait],
      'different instances of battery',
      { roles: { sat: 'box', pod: 'pod' }, ...inputs({ type: 'instance', of: 'battery' }) },
    ],
  ]);

  it('a library imports a platform once', () => {
    const imports = ['box@1.0.0', 'box@1.0.0'];
    expect(faultsIn(library({ main: { roles: sat, steps: [wait] } }, { imports }))).toMatch(
      /imports\[1\] box is imported twice/,
    );
  });

  it('what speaks of a platform that is not there is not reported', () => {
    const main = {
      roles: { sat: 'box', pod: 'gone' },
      inputs: { n: { type: 'Who' } },
      steps: [
        { send: 'pod.a.b' },
        { check: 'pod.a.b > 1' },
        { log: '{pod.a.b}' },
        { configure: 'pod', mode: 'x' },
        { check: '$n == A' },
      ],
    };
    const found = faultsIn(library({ main }, { imports: ['box@1.0.0', 'gone@1.0.0'] }));
    expect(found.split('\n')).toEqual([expect.stringMatching(/no platform gone@1\.0\.0/)]);
  });

  it('faults of a platform hide none of a library', () => {
    const broken = {
      file: 'broken.yaml',
      text: 'platform: bad\nversion: 1.0.0\ncomponents: { a: { telecommands: { go: { requires: [{ that: nothing > 1 }], verify: { expect: nothing, within: 1 s } } } } }\n',
    };
    const main = { roles: { bad: 'bad' }, steps: [{ send: 'bad.a.gone' }] };
    const found = faultsIn(broken, library({ main }, { imports: ['bad@1.0.0'] }));
    expect(found).toMatch(/a has no telecommand "gone"/);
    expect(found).toMatch(/broken\.yaml/);
  });
});

describe('faults of calls', () => {
  const other = {
    roles: { craft: 'box' },
    inputs: { cell: { type: 'instance', of: 'battery' }, n: { type: 'u8', default: 1 } },
    steps: [wait],
  };
  const call = (parts: object): readonly object[] => [
    { call: 'other', roles: { craft: 'sat' }, inputs: { cell: '1' }, ...parts },
  ];

  it.each([
    [{ call: 'othr' }, 'call library ops@1\\.0\\.0 has no procedure "othr" \\(did you mean "other"'],
    [{ library: 'osp' }, 'library no library "osp" \\(did you mean "ops"'],
    [{ roles: {} }, 'role "craft" of other has no value'],
    [{ roles: { craft: 'sat', sat: 'sat' } }, 'roles\\.sat other has no role "sat"'],
    [{ roles: { craft: 'sta' } }, 'roles\\.craft no role "sta"'],
    [{ inputs: {} }, 'input "cell" of other has no value and no default'],
    [{ inputs: { cell: '1', cel: '1' } }, 'inputs\\.cel other has no input "cel"'],
    [{ inputs: { cell: '5' } }, 'inputs\\.cell battery has no instance "5"'],
    [{ inputs: { cell: '1', n: 300 } }, 'inputs\\.n 300 does not fit u8'],
    [{ inputs: { cell: '1', n: null } }, 'inputs\\.n null is not a value here'],
    [{ inputs: { cell: '$n' } }, 'inputs\\.cell nothing is named \\$n'],
  ])('%j', (parts, said) => {
    expect(faults(call(parts), {}, { other })).toMatch(new RegExp(said));
  });

  it('a role is given one of the same platform', () => {
    const found = faults(call({ roles: { craft: 'pod' } }), { roles: { sat: 'box', pod: 'pod' } }, { other });
    expect(found).toMatch(/roles\.craft pod is pod@2\.0\.0, craft of other is box@1\.0\.0/);
  });

  it('a call beside another of the same procedure needs a step of its own', () => {
    expect(faults([...call({}), ...call({})], {}, { other })).toMatch(
      /steps\[1\]\.call there is a step "other"/,
    );
  });

  it('procedure.P3 a ring of calls is refused by its procedures', () => {
    const to = (name: string): object => ({ roles: sat, steps: [{ call: name, roles: { sat: 'sat' } }] });
    const rings = faultsIn(library({ a: to('b'), b: to('c'), c: to('b'), d: to('d') }));
    expect(rings.split('\n')).toHaveLength(2);
    expect(rings).toMatch(/procedures\.c\.steps\[0\]\.call procedures call each other in a ring: b → c → b/);
    expect(rings).toMatch(/ring: d → d/);
  });

  it('calls that multiply, and nest without end, are refused', () => {
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const twice = (name: string): object[] =>
      ['x', 'y'].map((step) => ({ step, do: [{ call: name, roles: { sat: 'sat' } }] }));
    const doubling = names.map((name, index) => [
      name,
      { roles: sat, steps: index === 19 ? [wait] : twice(names[index + 1]!) },
    ]);
    expect(faultsIn(library(Object.fromEntries(doubling)))).toMatch(
      /statements with those it calls, at most 10000/,
    );
    const chain = Array.from({ length: 40 }, (_, index) => [
      `q${index}`,
      { roles: sat, steps: index === 39 ? [wait] : [{ call: `q${index + 1}`, roles: { sat: 'sat' } }] },
    ]);
    expect(faultsIn(library(Object.fromEntries(chain)))).toMatch(/nested deeper than 32/);
    const nested = Array.from({ length: 40 }).reduce<object>((inner) => ({ step: 'a', do: [inner] }), wait);
    expect(faults([nested])).toMatch(/steps are nested deeper than 32/);
  });

  it('a library of several versions is called with its version', () => {
    const far = (version: string) => ({
      ...library({ look: { roles: sat, steps: [wait] } }, { library: 'far', version }),
      file: `far-${version}.yaml`,
    });
    const steps = [{ call: 'look', library: 'far', roles: { sat: 'sat' } }];
    const main = library({ main: { roles: sat, steps } });
    expect(faultsIn(main, far('1.0.0'), far('2.0.0'))).toMatch(
      /several libraries are called far \(write far@1\.0\.0 or far@2\.0\.0/,
    );
  });

  it('a procedure of another library is found with help', () => {
    const far = library({ look: { roles: sat, steps: [wait] } }, { library: 'far' });
    const main = library({ main: { roles: sat, steps: [{ call: 'look', roles: { sat: 'sat' } }] } });
    expect(faultsIn(main, far)).toMatch(/has no procedure "look" \(add library: far@1\.0\.0/);
  });
});

it('all faults are reported at once, each with line and column', () => {
  const text = [
    'library: ops',
    'version: 1.0.0',
    'imports: [box@1.0.0]',
    'procedures:',
    '  main:',
    '    roles: { sat: box }',
    '    steps:',
    '      - send: sat.obc.pin',
    '      - step: a',
    '        do:',
    '          - wait: 5 V',
    '          - log: "{$x}"',
    '      - expect: sat.obc.uptime > 0 s',
  ].join('\n');
  expect(parse(text)).toBeTruthy();
  const places = faultsIn({ file: 'ops.yaml', text })
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(places.sort()).toEqual(['ops.yaml:11:19', 'ops.yaml:12:18', 'ops.yaml:13:9', 'ops.yaml:8:15']);
});
