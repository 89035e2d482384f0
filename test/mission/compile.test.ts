/** Documents to a configuration: what compiles, and every fault a platform, a topology or a config can have. */

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { canonicalJson } from '../../mission/canonical.ts';
import { compile } from '../../mission/compile.ts';
import type { SourceFile } from '../../mission/document/read.ts';
import { compiled, demoDocuments, faultsOf, platform, shown, topology } from './documents.ts';

const library: SourceFile = {
  file: 'library.yaml',
  text: `
library: ops
version: 2.1.0
imports: [box@1.0.0]
procedures:
  shed_load:
    roles: { sat: box }
    inputs: { cell: { type: instance, of: battery } }
    steps:
      - log: "battery {$cell}"
      - step: payload_off
        do: [{ wait: 5 s }]
      - if failed: [{ wait: 1 s }]
`,
};

/** What the library speaks of. */
const box = platform({ components: { battery: { instances: ['1', '2'] } } });

describe('the configuration made of the documents', () => {
  it('the demo mission compiles without a warning', () => {
    const { warnings, configuration } = compiled(demoDocuments());
    expect(warnings).toEqual([]);
    expect(configuration.topology.targets.map(({ name }) => name)).toEqual(['sat1', 'sat2', 'noaa20']);
  });

  it('mission/compile.O1 the order of the documents changes nothing, a change of any value does', () => {
    const documents = demoDocuments();
    const { revision } = compiled(documents);
    expect(revision).toMatch(/^[0-9a-f]{64}$/);
    expect(compiled(documents.toReversed()).revision).toBe(revision);
    const renamed = documents.map(({ file, text }) => ({ file: `x-${file}`, text }));
    expect(compiled(renamed).revision).toBe(revision);
    for (const [from, to] of [
      ['600 s]', '601 s]'],
      ['PAYLOAD', 'PAYLOAD'],
      ['BOOT: 0', 'BOOT: 3'],
    ] as const) {
      const changed = documents.map(({ file, text }) => ({ file, text: text.replace(from, to) }));
      const same = changed.every(({ text }, index) => text === documents[index]?.text);
      expect(compiled(changed).revision === revision).toBe(same);
    }
  });

  it('the configuration is plain JSON: it survives the bus as it is', () => {
    const { configuration, revision } = compiled(demoDocuments());
    const travelled = JSON.parse(canonicalJson(configuration));
    expect(travelled).toEqual(configuration);
    expect(canonicalJson(travelled)).toBe(canonicalJson(configuration));
    expect(compiled(demoDocuments()).revision).toBe(revision);
  });

  it('libraries are kept, their procedures as written', () => {
    const { configuration } = compiled([box, topology(), library]);
    expect(configuration.libraries).toEqual([parse(library.text)]);
  });

  it('MC-LIM-021 MC-LIM-008 MC-LIM-007 the defaults of what a mission does not say', () => {
    const { settings } = compiled([platform(), topology()]).configuration;
    expect(settings).toMatchObject({
      leaderTtlMs: 10_000,
      maxShelveMs: 8 * 3_600_000,
      alarmRetentionMs: 90 * 86_400_000,
    });
  });

  it('a config without its own key is known by its settings', () => {
    const config = {
      file: 'c.yaml',
      text: 'reconciler: { leader_ttl: 3 s }\nalarms: { max_shelve: 1 h, answer_within: 2 s }\ntransfers: { retention: 7 d }\n',
    };
    const { settings } = compiled([platform(), topology(), config]).configuration;
    expect(settings).toMatchObject({
      leaderTtlMs: 3_000,
      maxShelveMs: 3_600_000,
      alarmAnswerMs: 2_000,
      contentRetentionMs: 7 * 86_400_000,
      maxSubmissionAgeMs: 300_000,
      replicas: 1,
    });
  });

  it('a target whose platform has no document is a warning, not a fault', () => {
    const { warnings, configuration } = compiled([topology()]);
    expect(warnings.map(shown)).toEqual([
      expect.stringMatching(
        /^topology.yaml:\d+:\d+ targets.sat.platform .*box@1\.0\.0.*add its platform document/,
      ),
    ]);
    expect(configuration.platforms).toEqual([]);
  });
});

describe('where and how a fault is said', () => {
  const text = [
    'platform: box',
    'version: 1.0.0',
    'components:',
    '  obc:',
    '    measures:',
    '      mode: { type: u9 }',
    '      level: { type: f64, unit: V, limts: {} }',
    '    telecommands:',
    '      go: { verify: { expect: moed == 3, within: 10 sec } }',
  ].join('\n');

  it('each has file, line, column, path, message and help, and none hides another', () => {
    const sound = text.replace('limts', 'limits');
    const found = faultsOf([{ file: 'p.yaml', text: sound }, topology()]).map(shown);
    expect(found).toEqual([
      expect.stringMatching(
        /^p\.yaml:6:21 components\.obc\.measures\.mode\.type unknown type "u9" \(types: u8, u16/,
      ),
      expect.stringMatching(/^p\.yaml:9:31 components\.obc\.telecommands\.go\.verify\.expect .*moed/),
      expect.stringMatching(/^p\.yaml:9:50 components\.obc\.telecommands\.go\.verify\.within .*sec/),
    ]);
  });

  it('an unknown key is said at the key, with the one that was meant', () => {
    expect(faultsOf([{ file: 'p.yaml', text }, topology()]).map(shown)).toEqual([
      'p.yaml:7:36 components.obc.measures.level.limts unknown key "limts" (did you mean "limits"?)',
    ]);
  });

  it('mission/compile.O2 faults of every document come together', () => {
    const broken = { file: 'a.yaml', text: 'platform: [' };
    const files = faultsOf([broken, { file: 'b.yaml', text }, topology({ targets: 5 })]).map(
      ({ file }) => file,
    );
    expect(new Set(files)).toEqual(new Set(['a.yaml', 'b.yaml', 'topology.yaml']));
  });

  it('judged-libraries.J1 J2 a platform that is faulty hides no fault of a library that does not speak of it, and causes none', () => {
    const other = {
      file: 'other.yaml',
      text: 'platform: other\nversion: 1.0.0\ncomponents: { obc: { measurs: {} } }\n',
    };
    const misspelt = { ...library, text: library.text.replace('type: instance', 'type: instanc') };
    const about = (imported: string, name: string, body: string): SourceFile => ({
      file: `${name}.yaml`,
      text: `library: ${name}\nversion: 1.0.0\nimports: [${imported}]\nprocedures:\n  go:\n    roles: { sat: box }\n    steps:\n      - ${body}\n`,
    });
    const files = (...documents: SourceFile[]) =>
      [...new Set(faultsOf([box, topology(), ...documents]).map(({ file }) => file))].sort();
    expect(files(other, misspelt)).toEqual(['library.yaml', 'other.yaml']);
    // What is missing is no fault: neither of who imports it, nor of who calls that.
    const theirs = about('other@1.0.0', 'theirs', 'wait: 1 s');
    expect(
      files(other, theirs, about('box@1.0.0', 'calls', '{ call: go, library: theirs, roles: { sat: sat } }')),
    ).toEqual(['other.yaml']);
    expect(files({ file: 'any.yaml', text: 'library: [' }, misspelt)).toEqual(['any.yaml']);
  });

  it.each([
    ['', 'the file is empty'],
    ['# nothing', 'the file is empty|not a mapping'],
    ['- platform', 'not a mapping'],
    ['platform: box\nplatform: box', 'unique'],
    ['platform: box\n---\nplatform: box', 'several documents'],
    ['platform: "box', 'quote'],
    ['a: &a [x, x]\nb: &b [*a, *a]', 'unknown key'],
    ['platform: *nowhere', 'nowhere'],
  ])('%j cannot be read, and is said so', (broken, message) => {
    const found = faultsOf([{ file: 'x.yaml', text: broken }, topology()]);
    expect(found.map(shown).join('\n')).toMatch(new RegExp(message, 'i'));
    for (const { line, column, help } of found) {
      expect(line).toBeGreaterThan(0);
      expect(column).toBeGreaterThan(0);
      expect(help).toBeTruthy();
    }
  });

  it('an alias bomb is refused, not expanded', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 9; n += 1)
      lines.push(
        `a${n}: &a${n} [${Array(10)
          .fill(`*a${n - 1}`)
          .join(', ')}]`,
      );
    expect(
      faultsOf([{ file: 'x.yaml', text: lines.join('\n') }, topology()])
        .map(shown)
        .join(),
    ).toMatch(/alias/i);
  });
});

/** A component `a` with one of each, to which a case adds its nonsense. */
const component = (part: object): SourceFile =>
  platform({ enums: { Mode: { OFF: 0, ON: 1 } }, components: { a: part } });
const measure = (m: object): SourceFile => component({ measures: { m, other: { type: 'f64', unit: 'V' } } });
const telecommand = (go: object): SourceFile =>
  component({
    measures: { mode: { type: 'Mode' }, level: { type: 'f64', unit: 'V' } },
    telecommands: { go },
  });
const argument = (x: object): SourceFile => telecommand({ args: { x } });
const encode = (x: object, field: object): SourceFile =>
  telecommand({ args: { x }, encode: { fields: [field] } });
const packet = (p: object, measures: object = {}): SourceFile =>
  platform({
    enums: { Mode: { OFF: 0 } },
    components: {
      a: { measures: { m: { type: 'u8' }, ...measures } },
      b: { instances: ['1'], measures: { n: { type: 'u8' } } },
    },
    packets: { p: { apid: 1, fields: [{ at: 6, to: 'a.m' }], ...p } },
  });
const fields = (list: object[], measures: object = {}): SourceFile => packet({ fields: list }, measures);
const verify = (parts: object): SourceFile => telecommand({ verify: { within: '1 s', ...parts } });
const files = (parts: object): SourceFile => platform({ files: parts });
const withFiles = (components: object): SourceFile => platform({ components, files: {} });

describe('faults of a platform', () => {
  it.each<[string, SourceFile, string]>([
    ['an unknown type', measure({ type: 'u9' }), 'measures.m.type unknown type "u9"'],
    ['an unknown unit', measure({ type: 'f64', unit: 'volts' }), 'measures.m.unit unknown unit "volts"'],
    ['a unit on an enumeration', measure({ type: 'Mode', unit: 'V' }), 'measures.m.unit .* no unit'],
    ['a raw type that is none', measure({ type: 'f64', raw: 'Mode' }), 'measures.m.raw .*no value type'],
    [
      'calibration of text',
      measure({ type: 'f64', raw: 'bytes', calibration: { polynomial: [1] } }),
      'raw .*cannot be calibrated',
    ],
    [
      'calibration of an enumeration',
      measure({ type: 'Mode', calibration: { polynomial: [1] } }),
      'calibration .*no number',
    ],
    [
      'two calibrations',
      measure({
        type: 'f64',
        calibration: {
          polynomial: [1],
          points: [
            [0, 0],
            [1, 1],
          ],
        },
      }),
      'exactly one',
    ],
    ['no calibration in one', measure({ type: 'f64', calibration: {} }), 'exactly one'],
    [
      'points that do not rise',
      measure({
        type: 'f64',
        calibration: {
          points: [
            [0, 0],
            [5, 1],
            [5, 2],
          ],
        },
      }),
      'points\\[2\\] raw 5 does not come after 5',
    ],
    [
      'covers the wrong way round',
      measure({ type: 'f64', calibration: { polynomial: [1], covers: [5, 1] } }),
      'calibration.covers',
    ],
    [
      'limits in another unit',
      measure({ type: 'f64', unit: 'V', limits: { soft: ['1 A', '2 V'] } }),
      'limits.soft\\[0\\] .*current',
    ],
    [
      'limits the wrong way round',
      measure({ type: 'f64', unit: 'V', limits: { hard: ['2 V', '1 V'] } }),
      'limits.hard .*not below',
    ],
    [
      'limits without any side',
      measure({ type: 'f64', unit: 'V', limits: { hard: [null, null] } }),
      'limits.hard .*open',
    ],
    [
      'limits with a unit where there is none',
      measure({ type: 'f64', limits: { soft: ['1 V', 2] } }),
      'limits.soft\\[0\\] .*no unit',
    ],
    [
      'soft outside hard',
      measure({ type: 'f64', unit: 'V', limits: { soft: [0, 9], hard: [1, 8] } }),
      'limits.soft .*outside',
    ],
    ['limits of text', measure({ type: 'string', limits: { soft: [1, 2] } }), 'limits .*no number'],
    [
      'a derived measure with raw',
      measure({ type: 'f64', unit: 'V', derived: 'other', raw: 'u8' }),
      'measures.m.raw .*derived',
    ],
    [
      'a derived measure of nothing',
      measure({ type: 'f64', unit: 'V', derived: 'nothing + other' }),
      'measures.m.derived .*nothing',
    ],
    [
      'a derived measure of another unit',
      measure({ type: 'f64', unit: 'A', derived: 'other' }),
      'measures.m.derived',
    ],
    [
      'a measure derived from itself',
      component({ measures: { x: { type: 'f64', derived: 'y + 1' }, y: { type: 'f64', derived: 'x * 2' } } }),
      'measures.x.derived a.x is derived from itself: a.x from a.y from a.x',
    ],
    [
      'a measure derived from nothing',
      measure({ type: 'f64', derived: '1 + 1' }),
      'measures.m.derived it reads no measure',
    ],
    ['an enumeration named like a type', platform({ enums: { u8: { A: 1 } } }), 'enums.u8 .*value type'],
    ['an enumeration without values', platform({ enums: { E: {} } }), 'enums.E .*no values'],
    [
      'an enumeration with one number twice',
      platform({ enums: { E: { A: 1, B: 1 } } }),
      'enums.E.B A has the number 1 too',
    ],
    ['an instance twice', component({ instances: ['1', 1] }), 'instances\\[1\\] .*twice'],
    ['an instance that means none', component({ instances: ['_'] }), 'instances\\[0\\] .*no instance'],
    [
      'a name conditions cannot write',
      platform({ components: { '1st': {} } }),
      'components.1st .*cannot be a name',
    ],
    ['a default of another type', argument({ type: 'u8', default: 'x' }), 'args.x.default'],
    [
      'a default outside the range',
      argument({ type: 'u8', range: [1, 5], default: 6 }),
      'args.x.default 6 is outside its range',
    ],
    [
      'a default the type does not hold',
      argument({ type: 'u8', default: 256 }),
      'args.x.default 256 does not fit u8',
    ],
    [
      'a default that is no value',
      argument({ type: 'Mode', default: 'MAYBE' }),
      'args.x.default "MAYBE" is no value of Mode',
    ],
    ['a default in another unit', argument({ type: 'f64', unit: 's', default: '1 V' }), 'args.x.default'],
    ['a range of an enumeration', argument({ type: 'Mode', range: [0, 1] }), 'args.x.range .*no range'],
    [
      'a range the type does not hold',
      argument({ type: 'u8', range: [0, 300] }),
      'args.x.range 300 is nothing u8 holds',
    ],
    [
      'a range below what the type holds',
      argument({ type: 'u8', range: [-1, 255] }),
      'args.x.range -1 is nothing u8 holds',
    ],
    ['a unit on bytes', argument({ type: 'bytes', unit: 'B' }), 'args.x.unit .*no unit'],
    ['an argument called instance', telecommand({ args: { instance: { type: 'u8' } } }), 'args.instance'],
    ['instance: file outside files', telecommand({ instance: 'file' }), 'instance .*files component'],
    [
      'a requirement of nothing',
      telecommand({ requires: [{ that: 'a.nothing == 1' }] }),
      'requires\\[0\\].that .*nothing',
    ],
    [
      'a requirement that needs a history',
      telecommand({ requires: [{ that: 'level > 1 V and stable for 5 s' }] }),
      'requires\\[0\\].that it is evaluated once',
    ],
    [
      'an enum value that is none',
      telecommand({ requires: [{ that: 'mode == MAYBE' }] }),
      'requires\\[0\\].that .*MAYBE',
    ],
    [
      'a requirement of no age',
      telecommand({ requires: [{ that: 'level > 1 V', max_age: '5 V' }] }),
      'requires\\[0\\].max_age',
    ],
    ['an expectation in another unit', verify({ expect: 'level > 1 A' }), 'verify.expect'],
    ['an argument that is none', verify({ expect: 'level > $volts' }), 'verify.expect .*volts'],
    ['a failure that does not parse', verify({ expect: 'level > 1 V', fail: 'level >' }), 'verify.fail'],
    ['nothing to verify by', verify({}), 'verify nothing could ever verify'],
    ['a stage without reports', verify({ expect: 'level > 1 V', stage: 'acceptance' }), 'verify.stage'],
    ['a verification without time', verify({ expect: 'level > 1 V', within: '0 s' }), 'verify.within .*zero'],
    [
      'an alarm of nothing',
      component({ alarms: { low: { when: 'x < 1', severity: 'warning' } } }),
      'alarms.low.when',
    ],
    [
      'an alarm on a file',
      withFiles({ unit: { alarms: { big: { when: 'files[7].size > 1 kB', severity: 'warning' } } } }),
      'alarms.big.when .*files is the on-board directory: an alarm reads no files',
    ],
    [
      'a measure derived from a file',
      withFiles({ unit: { measures: { m: { type: 'bool', derived: 'files[7].size > 1 kB' } } } }),
      'm.derived .*files is the on-board directory: a derived measure reads no files',
    ],
    [
      'a requirement on its own file of a telecommand that names none',
      files({ telecommands: { list: { requires: [{ that: 'size > 1 kB' }] } } }),
      'list.requires.*that .*"size"',
    ],
    [
      'a file whose identifier has a zero in front',
      files({ telecommands: { list: { requires: [{ that: 'files[07].size > 1 kB' }] } } }),
      'list.requires.*that .*files has no instance "07"',
    ],
    [
      'an alarm named like limits',
      component({
        measures: { m: { type: 'f64', limits: { hard: [0, 1] } } },
        alarms: { m: { when: 'm < 1', severity: 'warning' } },
      }),
      'alarms.m .*limits',
    ],
    [
      'an alarm named like a reaction',
      component({
        measures: { m: { type: 'f64' } },
        alarms: { 'm-reaction': { when: 'm < 1', severity: 'warning' } },
      }),
      'alarms.m-reaction',
    ],
    [
      'a reaction nobody has',
      component({
        measures: { m: { type: 'f64' } },
        alarms: { low: { when: 'm < 1', severity: 'critical', on_raise: 'run "shed"' } },
      }),
      'on_raise no library has a procedure "shed"',
    ],
    [
      'a parameter nothing sets',
      component({ parameters: { p: { type: 'u8' } } }),
      'parameters.p nothing sets it',
    ],
    [
      'a parameter of no type',
      component({ parameters: { p: { type: 'Nope', readback: 'a.m' } }, measures: { m: { type: 'u8' } } }),
      'parameters.p.type ',
    ],
    [
      'a parameter of no unit',
      component({
        parameters: { p: { type: 'u8', unit: 'nope', readback: 'a.m' } },
        measures: { m: { type: 'u8' } },
      }),
      'parameters.p.unit ',
    ],
    [
      'a setter that is none',
      component({ parameters: { p: { type: 'u8', set: 'a.go' } } }),
      'parameters.p.set "a.go" is no setter',
    ],
    [
      'a setter of nothing',
      component({
        telecommands: { go: { args: { x: { type: 'u8' } } } },
        parameters: { p: { type: 'u8', set: 'a.go.y' } },
      }),
      'parameters.p.set a.go has no argument "y"',
    ],
    [
      'a setter of another unit',
      component({
        telecommands: { go: { args: { x: { type: 'u8', unit: 's' } } } },
        parameters: { p: { type: 'u8', unit: 'V', set: 'a.go.x' } },
      }),
      'parameters.p.set .*units of one kind',
    ],
    [
      'a setter that needs more',
      component({
        telecommands: { go: { args: { x: { type: 'u8' }, z: { type: 'u8' } } } },
        parameters: { p: { type: 'u8', set: 'a.go.x' } },
      }),
      'parameters.p.set .*"z" has no default',
    ],
    [
      'a readback of nothing',
      component({ parameters: { p: { type: 'u8', readback: 'a.x' } } }),
      'parameters.p.readback a has no measure "x"',
    ],
    [
      'a readback of another type',
      component({ measures: { m: { type: 'Mode' } }, parameters: { p: { type: 'u8', readback: 'a.m' } } }),
      'parameters.p.readback .*type',
    ],
    [
      'a listing that is none',
      files({ transfer: { list: 'ls' } }),
      'files.transfer.list files has no telecommand "ls"',
    ],
    [
      'cfdp beside read',
      files({
        transfer: { read: 'get', max_chunk: 9, protocol: 'cfdp' },
        telecommands: { get: { instance: 'file' } },
      }),
      'files.transfer.read read and the protocol cfdp exclude',
    ],
    [
      'cfdp beside write',
      files({ transfer: { write: 'put', protocol: 'cfdp' }, telecommands: { put: { instance: 'file' } } }),
      'files.transfer.write write and the protocol cfdp exclude',
    ],
    [
      'a read for no file',
      files({ transfer: { read: 'get', max_chunk: 9 }, telecommands: { get: {} } }),
      'files.transfer.read .*names no file',
    ],
    [
      'a read without chunk',
      files({ transfer: { read: 'get' }, telecommands: { get: { instance: 'file' } } }),
      'files.transfer .*chunk',
    ],
    [
      'a component beside files of its name',
      platform({ components: { files: {} }, files: {} }),
      'components.files .*on-board directory',
    ],
  ])('%s', (_, document, message) => {
    expect(faultsOf([document, topology()]).map(shown).join('\n')).toMatch(new RegExp(message));
  });
});

describe('faults of an encoding', () => {
  it.each<[string, SourceFile, string]>([
    [
      'a float without range in an f32',
      encode({ type: 'f64' }, { type: 'f32', from: '$x' }),
      'do not all fit in 32 bits of f32',
    ],
    [
      '64 bits in a float',
      encode({ type: 'u64' }, { type: 'f64', from: '$x' }),
      'past 2\\^53 would not be exact',
    ],
    [
      '64 bits scaled',
      encode({ type: 'u64' }, { type: 'u64', scale: 2, from: '$x' }),
      'past 2\\^53 would not be exact',
    ],
    [
      'a default longer than the field',
      encode({ type: 'bytes', default: '0x010203' }, { type: 'bytes', size: 2, from: '$x' }),
      'args.x.default it has 3 bytes',
    ],
    [
      'bits of text',
      encode({ type: 'string' }, { type: 'string', bits: 8, length: 'u8', from: '$x' }),
      'fields\\[0\\].bits a string field has no bits',
    ],
    [
      'a length of a number',
      encode({ type: 'u8' }, { type: 'u8', length: 'u8', from: '$x' }),
      'length and size are for string and bytes',
    ],
    [
      'a scale of nothing',
      encode({ type: 'u8' }, { type: 'u8', scale: 0, from: '$x' }),
      'fields\\[0\\].scale no scale fits',
    ],
    [
      'little endian inside a byte',
      encode({ type: 'u8' }, { type: 'u8', bits: 4, endian: 'little', from: '$x' }),
      'little endian needs whole bytes',
    ],
    [
      'a file without name',
      files({ telecommands: { get: { encode: { fields: [{ type: 'u16', from: '$instance' }] } } } }),
      'the telecommand names no file',
    ],
    [
      'a file as text',
      files({
        telecommands: {
          get: { instance: 'file', encode: { fields: [{ type: 'string', size: 4, from: '$instance' }] } },
        },
      }),
      'file identifiers are written as numbers',
    ],
    ['neither value nor from', encode({ type: 'u8' }, { type: 'u8' }), 'exactly one of value and from'],
    [
      'an argument that is none',
      encode({ type: 'u8' }, { type: 'u8', from: '$y' }),
      'fields\\[0\\].from .*no argument "y"',
    ],
    [
      'an argument no field writes',
      encode({ type: 'u8' }, { type: 'u8', value: 1 }),
      'no field writes the argument "x"',
    ],
    [
      'a constant too large',
      encode({ type: 'u8' }, { type: 'u8', value: 256 }),
      'fields\\[0\\].value 256 does not fit u8',
    ],
    [
      'a constant too large for its bits',
      encode({ type: 'u8' }, { type: 'u8', bits: 4, value: 16 }),
      '16 does not fit in 4 bits',
    ],
    [
      'a wide argument in a narrow field',
      encode({ type: 'u16' }, { type: 'u8', from: '$x' }),
      'do not all fit in 8 bits',
    ],
    [
      'a signed argument in an unsigned field',
      encode({ type: 'i8' }, { type: 'u8', from: '$x' }),
      'do not all fit in 8 bits',
    ],
    [
      'a float without range in an integer',
      encode({ type: 'f64' }, { type: 'u16', from: '$x' }),
      'do not all fit in 16 bits',
    ],
    [
      'a scaled argument too large',
      encode({ type: 'f64', range: [0, 1] }, { type: 'u8', scale: 0.001, from: '$x' }),
      'do not all fit in 8 bits',
    ],
    ['bytes as a number', encode({ type: 'bytes' }, { type: 'u8', from: '$x' }), 'cannot be written as u8'],
    [
      'a number as bytes',
      encode({ type: 'u8' }, { type: 'bytes', length: 'u8', from: '$x' }),
      'cannot be written as bytes',
    ],
    [
      'a bool as a float',
      encode({ type: 'bool' }, { type: 'f32', from: '$x' }),
      'a bool cannot be written as f32',
    ],
    [
      'an enumeration as text',
      encode({ type: 'Mode' }, { type: 'string', size: 4, from: '$x' }),
      'a number cannot be written as string',
    ],
    [
      'bytes without length',
      encode({ type: 'bytes' }, { type: 'bytes', from: '$x' }),
      'a bytes field needs a length',
    ],
    [
      'bytes longer than their field',
      encode({ type: 'bytes', range: [0, 9] }, { type: 'bytes', size: 4, from: '$x' }),
      'may have 9 bytes',
    ],
    [
      'bits that make no bytes',
      encode({ type: 'u8', range: [0, 1] }, { type: 'u8', bits: 1, from: '$x' }),
      '1 bits, not whole bytes',
    ],
    [
      'more bits than the type',
      encode({ type: 'u8' }, { type: 'u8', bits: 16, from: '$x' }),
      'u8 does not have 16 bits',
    ],
    [
      'an instance where there is none',
      encode({ type: 'u8' }, { type: 'u8', from: '$instance' }),
      'a has no instances',
    ],
    [
      'instances that are no numbers',
      component({
        instances: ['n'],
        telecommands: { go: { encode: { fields: [{ type: 'u8', from: '$instance' }] } } },
      }),
      'instance n does not fit u8',
    ],
    ['service without subtype', telecommand({ encode: { service: 8 } }), 'service and subtype go together'],
  ])('%s', (_, document, message) => {
    expect(faultsOf([document, topology()]).map(shown).join('\n')).toMatch(new RegExp(message));
  });
});

describe('what an encoding may be', () => {
  it.each([
    ['a float of any size in an f64', { type: 'f64' }, { type: 'f64', from: '$x' }],
    ['an f32 in an f32', { type: 'f32' }, { type: 'f32', from: '$x' }],
    ['a bounded float in an f32', { type: 'f64', range: [-1, 1] }, { type: 'f32', from: '$x' }],
    ['a narrow argument in a wide field', { type: 'u8' }, { type: 'i16', from: '$x' }],
    ['a bounded integer in a narrow field', { type: 'u16', range: [0, 255] }, { type: 'u8', from: '$x' }],
    ['a bool in a byte', { type: 'bool' }, { type: 'u8', from: '$x' }],
    ['an enumeration in a byte', { type: 'Mode' }, { type: 'u8', from: '$x' }],
  ])('%s', (_, x, field) => {
    compiled([encode(x, field), topology()]);
  });
});

describe('faults of packets', () => {
  const p = 'packets.p';
  it.each<[string, SourceFile, string]>([
    ['an unknown component', fields([{ at: 6, to: 'c.m' }]), `${p}.fields\\[0\\].to no component "c"`],
    ['an unknown measure', fields([{ at: 6, to: 'a.n' }]), `${p}.fields\\[0\\].to a has no measure "n"`],
    ['a missing instance', fields([{ at: 6, to: 'b.n' }]), `${p}.fields\\[0\\].to b has instances`],
    ['an unknown instance', fields([{ at: 6, to: 'b[2].n' }]), `${p}.fields\\[0\\].to b has no instance "2"`],
    ['an instance too much', fields([{ at: 6, to: 'a[1].m' }]), `${p}.fields\\[0\\].to a has no instances`],
    ['something else', fields([{ at: 6, to: 'skp' }]), `"skp" is no measure`],
    [
      'a derived measure',
      fields([{ at: 6, to: 'a.d' }], { d: { type: 'f64', derived: 'm + 1' } }),
      'a.d is derived',
    ],
    ['a measure twice', fields([{ at: 6, to: 'a.m' }, { to: 'a.m' }]), 'a.m is read twice'],
    ['no width', fields([{ at: 6, to: 'a.e' }], { e: { type: 'Mode' } }), 'it has no width'],
    [
      'a wide field in a narrow measure',
      fields([{ at: 6, type: 'u16', to: 'a.m' }]),
      '16 bits unsigned do not fit in a measure of type u8',
    ],
    [
      'a signed field in an unsigned measure',
      fields([{ at: 6, type: 'i8', to: 'a.m' }]),
      '8 bits signed do not fit',
    ],
    [
      'a float in an integer measure',
      fields([{ at: 6, type: 'f32', to: 'a.m' }]),
      'a float field cannot be read to a measure of type u8',
    ],
    [
      '64 bits in a float measure',
      fields([{ at: 6, type: 'u64', to: 'a.f' }], { f: { type: 'f64' } }),
      '64 bits are not exact in f64',
    ],
    [
      'text in a number',
      fields([{ at: 6, type: 'string', size: 4, to: 'a.m' }]),
      'cannot be read to a measure of type u8',
    ],
    [
      'text without size',
      fields([{ at: 6, to: 'a.s' }], { s: { type: 'string' } }),
      'needs a size or a length',
    ],
    [
      'text inside a byte',
      fields(
        [
          { at: 6, bits: 3, to: 'skip' },
          { size: 2, to: 'a.s' },
        ],
        { s: { type: 'bytes' } },
      ),
      'begins inside a byte',
    ],
    [
      'more bits than the type',
      fields([{ at: 6, type: 'u8', bits: 9, to: 'skip' }]),
      'u8 does not have 9 bits',
    ],
    ['half a float', fields([{ at: 6, type: 'f32', bits: 16, to: 'skip' }]), 'f32 does not have 16 bits'],
    [
      'little endian inside a byte',
      fields([{ at: 6, bit: 1, type: 'u16', endian: 'little', to: 'skip' }]),
      'byte boundary',
    ],
    ['little endian of odd bits', fields([{ at: 6, bits: 12, endian: 'little', to: 'skip' }]), 'whole bytes'],
    ['fractions in an integer', fields([{ at: 6, scale: 0.5, to: 'a.m' }]), 'makes fractions of u8'],
    ['a bit without its byte', fields([{ bit: 1, bits: 2, to: 'skip' }]), 'bit belongs to at'],
    [
      'a place behind a varying length',
      fields([
        { at: 6, type: 'bytes', length: 'u8', to: 'skip' },
        { at: 9, to: 'a.m' },
      ]),
      'no fixed position',
    ],
    [
      'a field behind the rest',
      fields([{ at: 6, type: 'bytes', size: 'rest', to: 'skip' }, { to: 'a.m' }]),
      'takes the rest',
    ],
    [
      'no match at all',
      platform({ components: {}, packets: { p: { fields: [] } } }),
      'nothing says which packets',
    ],
    ['a match without value', packet({ match: [{ at: 6, bits: 8 }] }), 'it says no value'],
    ['a match without place', packet({ match: [{ equals: 1 }] }), 'it says no place'],
    [
      'a match that never holds',
      packet({ match: [{ at: 6, bits: 2, equals: 4 }] }),
      '4 does not fit in 2 bits',
    ],
    ['a match of a float', packet({ match: [{ at: 6, type: 'f32', equals: 1 }] }), 'cannot be matched'],
    [
      'a match of a field not before it',
      packet({ when: [{ match: [{ field: 'a.x', equals: 1 }], fields: [] }] }),
      'no field before it is read to "a.x"',
    ],
    ['equals and min', packet({ match: [{ at: 6, bits: 8, equals: 1, min: 0 }] }), 'exclude each other'],
    ['a service without subtype', packet({ service: 3 }), 'service and subtype go together'],
    [
      'a service and no place',
      packet({ service: 3, subtype: 25, fields: [{ to: 'a.m' }] }),
      'the first field needs `at`',
    ],
    ['a length the wrong way round', packet({ length: { min: 9, max: 8 } }), 'min 9 is above max 8'],
    [
      'a day that is none',
      packet({ time: { cds: { at: 6, epoch: '1958-13-01' } } }),
      'time.cds.epoch "1958-13-01" is no date',
    ],
    ['a time of no parts', packet({ time: { parts: { epoch: '1958-01-01' } } }), 'time.parts it has no part'],
    [
      'a signed part of a time',
      packet({ time: { parts: { epoch: '1958-01-01', s: { at: 6, type: 'i32' } } } }),
      'time.parts.s .*unsigned',
    ],
    [
      'a layout that is never reached',
      platform({ packets: { p: { apid: 1, fields: [] }, q: { apid: 1, fields: [] } } }),
      'packets.q packet p matches the same packets first',
    ],
  ])('%s', (_, document, message) => {
    expect(faultsOf([document, topology()]).map(shown).join('\n')).toMatch(new RegExp(message));
  });
});

/** A topology whose target has these parts. */
const target = (parts: object, rest: object = {}): SourceFile =>
  topology({
    environments: { bench: {}, flight: {} },
    gateways: { sim: { simulated: true, tags: ['uhf'] } },
    targets: {
      sat: {
        platform: 'box@1.0.0',
        environments: ['bench'],
        modes: ['safe'],
        links: { uhf: { default: true, driver: 'pus' } },
        ...parts,
      },
    },
    ...rest,
  });
const uhf = (parts: object): SourceFile =>
  target({ links: { uhf: { default: true, driver: 'pus', ...parts } } });
const gateway = (g: object): SourceFile => target({}, { gateways: { g } });

describe('faults of a topology', () => {
  const box = platform({
    components: {
      a: {
        measures: { m: { type: 'u8', unit: 's' } },
        parameters: { p: { type: 'u8', unit: 's', readback: 'a.m' } },
      },
      b: {
        instances: ['1'],
        measures: { n: { type: 'u8' } },
        parameters: { q: { type: 'u8', readback: 'b.n' } },
      },
    },
  });

  it.each<[string, SourceFile, string]>([
    ['no environment at all', target({}, { environments: {} }), 'environments there is no environment'],
    [
      'an unknown environment',
      target({ environments: ['bnech'] }),
      'targets.sat.environments\\[0\\] no environment "bnech" \\(did you mean "bench"',
    ],
    ['an environment twice', target({ environments: ['bench', 'bench'] }), 'environments\\[1\\] .*twice'],
    ['a mode twice', target({ modes: ['safe', 'safe'] }), 'modes\\[1\\] .*twice'],
    [
      'no default link',
      target({ links: { uhf: { driver: 'pus' } } }),
      'targets.sat.links no link is the default one',
    ],
    [
      'two default links',
      target({ links: { a: { default: true }, b: { default: true } } }),
      'links.b.default link a is the default one already',
    ],
    ['no link', target({ links: {} }), 'links no link is the default one'],
    [
      'an unknown driver',
      uhf({ driver: 'psu' }),
      'links.uhf.driver no driver "psu" \\(did you mean "pus"|drivers: pus',
    ],
    [
      'a default link with components',
      uhf({ components: ['a'] }),
      'links.uhf.components the default link carries the whole catalogue',
    ],
    [
      'an unknown component',
      target({ links: { uhf: { default: true }, s: { components: ['x'] } } }),
      'links.s.components\\[0\\] no component "x"',
    ],
    ['an unknown gateway', uhf({ gateway: 'smi' }), 'links.uhf.gateway no gateway "smi"'],
    [
      'tags no gateway carries',
      uhf({ tags: ['uhf', 'north'] }),
      'links.uhf.tags no gateway carries uhf and north',
    ],
    ['gateway and tags', uhf({ gateway: 'sim', tags: ['uhf'] }), 'links.uhf.tags .*keep one'],
    ['a rate of no rate', uhf({ rate: '5 V' }), 'links.uhf.rate'],
    ['a rate of nothing', uhf({ rate: 0 }), 'links.uhf.rate .*above zero'],
    [
      'an override elsewhere',
      uhf({ environments: { flight: { gateway: 'sim' } } }),
      'links.uhf.environments.flight the target is not engaged',
    ],
    [
      'a parameter of nothing',
      target({ parameters: { 'c.p': { safe: 1 } } }),
      'parameters.c.p no component "c"',
    ],
    [
      'an unknown parameter',
      target({ parameters: { 'a.q': { safe: 1 } } }),
      'parameters.a.q a has no parameter "q"',
    ],
    [
      'a parameter of no instance',
      target({ parameters: { 'b[2].q': { safe: 1 } } }),
      'b has no instance "2"',
    ],
    [
      'a value in no mode',
      target({ parameters: { 'a.p': { nominal: 1 } } }),
      'parameters.a.p.nominal the target has no mode "nominal"',
    ],
    ['a value of no kind', target({ parameters: { 'a.p': { safe: '5 V' } } }), 'parameters.a.p.safe'],
    [
      'a value that does not fit',
      target({ parameters: { 'a.p': { safe: 256 } } }),
      'parameters.a.p.safe 256 does not fit u8',
    ],
    [
      'a value elsewhere',
      target({ parameters: { 'a.p': { environments: { flight: { safe: 1 } } } } }),
      'parameters.a.p.environments.flight the target is not engaged',
    ],
    [
      'a gateway of two kinds',
      gateway({ simulated: true, recording: { file: 'x', rate: 1 } }),
      'gateways.g.recording .*keep one',
    ],
    ['faults of no simulation', gateway({ faults: ['x'] }), 'gateways.g.faults only simulated'],
    ['a model of no simulation', gateway({ model: 'x' }), 'gateways.g.model only simulated'],
    ['a recording of no speed', gateway({ recording: { file: 'x' } }), 'gateways.g.recording .*how fast'],
    [
      'a recording of two speeds',
      gateway({ recording: { file: 'x', rate: 1, as_fast_as_possible: true } }),
      'gateways.g.recording .*how fast',
    ],
    [
      'a recording outside the mission',
      gateway({ recording: { file: '../x', rate: 1 } }),
      'gateways.g.recording.file .*leaves the folder',
    ],
    [
      'a target that is no token',
      target({}, { targets: { 'a.b': {} } }),
      'targets.a.b "a.b" cannot be a name',
    ],
    [
      'a platform without version',
      target({ platform: 'box' }),
      'targets.sat.platform .*not a valid platform reference',
    ],
  ])('%s', (_, document, message) => {
    expect(faultsOf([box, document]).map(shown).join('\n')).toMatch(new RegExp(message));
  });

  it('is missing, there twice, or of a platform there twice', () => {
    expect(faultsOf([box]).map(shown).join()).toContain('there is no topology document');
    const again = (source: SourceFile): SourceFile => ({ ...source, file: `z-${source.file}` });
    expect(
      faultsOf([box, topology(), again(topology())])
        .map(shown)
        .join(),
    ).toMatch(/z-topology\.yaml.*is the topology document already/);
    expect(
      faultsOf([box, again(box), topology()])
        .map(shown)
        .join(),
    ).toMatch(/z-platform\.yaml.*box@1\.0\.0 is in another document/);
  });

  it('a target whose platform has no document compiles, whatever values it gives', () => {
    const { warnings } = compiled([
      box,
      target({ platform: 'other@1.0.0', parameters: { 'a.p': { safe: 1 } } }),
    ]);
    expect(warnings.map(shown)).toEqual([
      expect.stringMatching(/targets\.sat\.platform there is no document for platform other@1\.0\.0/),
    ]);
  });

  it('a link without driver and a gateway with nothing of its own compile', () => {
    const { warnings, configuration } = compiled([
      box,
      target({ links: { uhf: { default: true } } }, { gateways: { g: {} } }),
    ]);
    expect(warnings.map(shown).join()).toMatch(/links\.uhf no driver is bound/);
    expect(configuration.topology.gateways[0]).toMatchObject({ kind: 'external', echo: false, tags: [] });
  });
});

describe('faults of libraries and settings', () => {
  const changed = (from: string, to: string): SourceFile[] => [
    box,
    topology(),
    { ...library, text: library.text.replace(from, to) },
  ];

  it.each([
    ['imports: [box@1.0.0]', 'imports: [bax@1.0.0]', 'imports\\[0\\] no platform bax@1.0.0'],
    ['{ sat: box }', '{ sat: bus }', 'roles.sat platform "bus" is not imported'],
    ['- log:', '- lag:', 'steps\\[0\\].lag "lag" is not a statement \\(did you mean "log"'],
    ['do: [{ wait: 5 s }]', 'do: []', 'steps\\[1\\].do .*list of statements'],
    ['do: [{ wait: 5 s }]', 'do: [{ wiat: 5 s }]', 'steps\\[1\\].do\\[0\\].wiat "wiat" is not a statement'],
    ['[{ wait: 1 s }]', '[{ wit: 1 s }]', 'steps\\[2\\].if failed\\[0\\].wit'],
    ['version: 2.1.0', 'version: two', 'version .*not a valid version'],
    ['    roles: { sat: box }\n', '', 'shed_load the key "roles" is missing'],
    [
      '    roles: { sat: box }\n',
      '    roles: { sat: box }\n    allowed_in: [flight]\n',
      'allowed_in\\[0\\] no environment "flight"',
    ],
  ])('%j as %j', (from, to, message) => {
    expect(faultsOf(changed(from, to)).map(shown).join('\n')).toMatch(new RegExp(message));
  });

  it.each([
    ['reconciler: { leader_ttl: 10 V }', 'reconciler.leader_ttl'],
    ['reconciler: { leader_ttl: 0 s }', 'reconciler.leader_ttl .*zero'],
    ['transfers: { retention: 23 h }', 'transfers.retention .*between 1 and 366 days'],
    ['transfers: { retention: 367 d }', 'transfers.retention .*between 1 and 366 days'],
    ['transfers: { retention: 3 V }', 'transfers.retention'],
    ['nats: { replicas: 2 }', 'nats.replicas .*1, 3, 5'],
    ['atuh: { }', 'atuh unknown key "atuh" \\(did you mean "auth"'],
    ['passes: { feeders: { a: fdx } }', 'passes.feeders.a'],
  ])('%s', (text, message) => {
    expect(
      faultsOf([platform(), topology(), { file: 'c.yaml', text }])
        .map(shown)
        .join('\n'),
    ).toMatch(new RegExp(message));
  });
});

describe('the form of documents', () => {
  it('a mission of several files with files, cfdp and orbit compiles', () => {
    const documents = [
      platform({
        components: {
          battery: { instances: ['1', '2'] },
          camera: { telecommands: { shoot: { args: { tag: { type: 'bytes', default: '0x00' } } } } },
        },
        files: {
          component: 'files',
          types: { 1: { name: 'lttm', decode: true } },
          transfer: { list: 'list', read: 'read', write: 'write', max_chunk: 200, checksum: 'crc32' },
          telecommands: {
            list: { changes_state: false },
            read: {
              changes_state: false,
              instance: 'file',
              args: { offset: { type: 'u32' }, length: { type: 'u16' } },
            },
            write: { instance: 'file', args: { offset: { type: 'u32' }, data: { type: 'bytes' } } },
          },
        },
      }),
      topology({
        environments: {
          bench: { drafts: 'allowed' },
          in_orbit: { kind: 'in_orbit', identity: 'jwt', human_orchestration: true },
        },
        stations: { kiruna: { latitude: '67.9 deg', altitude: '0.4 km' } },
        gateways: { 'kiruna-2': { tags: ['sband', 'kiruna'] } },
        drivers: { pus: { protocol: 'outside' }, cfdp: { protocol: 'cfdp', entity: 1, ack_timer: '10 s' } },
        targets: {
          sat: {
            platform: 'box@1.0.0',
            environments: ['in_orbit', 'bench'],
            links: {
              uhf: { default: true, driver: 'pus' },
              s: { driver: 'cfdp', tags: ['sband'], components: ['camera', 'files'] },
            },
          },
        },
      }),
      library,
    ];
    const { configuration } = compiled(documents);
    expect(configuration.topology).toMatchObject({
      stations: [{ name: 'kiruna', latitudeDeg: 67.9, altitudeM: 400 }],
      drivers: [{ name: 'pus' }, { name: 'cfdp', settings: { entity: 1, ack_timer: '10 s' } }],
      targets: [{ environments: ['bench', 'in_orbit'] }],
    });
    expect(compile(documents).ok).toBe(true);
  });

  it.each([
    ['a range as wide as its type', argument({ type: 'u8', range: [0, 255] })],
    [
      'bytes as long as their field',
      encode({ type: 'bytes', range: [0, 4] }, { type: 'bytes', size: 4, from: '$x' }),
    ],
  ])('%s is no fault', (_, document) => {
    expect(compiled([document, topology()]).warnings).toEqual([]);
  });

  it('a packet is recognised by its APID, its service and its subtype', () => {
    const report = packet({ apid: 5, service: 3, subtype: 25, fields: [{ at: 20, to: 'a.m' }] });
    const { platforms } = compiled([report, topology()]).configuration;
    expect(platforms[0]!.packets.map(({ match }) => match)).toEqual([
      [
        { at: 5, bits: 11, equals: [5] },
        { at: 56, bits: 8, equals: [3] },
        { at: 64, bits: 8, equals: [25] },
      ],
    ]);
  });

  it('a default is kept as written: bytes with their zeros, large numbers with every digit', () => {
    const text = [
      'platform: box',
      'version: 1.0.0',
      'components:',
      '  a:',
      '    telecommands:',
      '      go:',
      '        args:',
      '          tag: { type: bytes, default: 0x00ff }',
      '          large: { type: u64, default: 18446744073709551615 }',
      '          period: { type: f64, unit: s, default: 10 min }',
    ].join('\n');
    const { configuration } = compiled([{ file: 'p.yaml', text }, topology()]);
    const { args } = configuration.platforms[0]!.components[0]!.telecommands[0]!;
    expect(args.map((each) => each.default)).toEqual(['0x00ff', '18446744073709551615', '10 min']);
  });
});
