import fc from 'fast-check';
import { describe, it } from 'vitest';
import { checkShape } from '../../contract/shape.ts';
import { FaultList } from '../../mission/document/fault.ts';
import { LibraryDocument } from '../../mission/document/library.ts';
import { STATEMENT_SHAPES } from '../../mission/document/statement.ts';
import type { Platform } from '../../mission/platform.ts';
import { compileLibraries } from '../../mission/procedure/compile/library.ts';
import { outlineOf } from '../../mission/procedure/outline.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { anyJson, damaged, type Json, ofSchema } from './json.ts';
import { shippedMissions } from './shipped.ts';

const platforms: ReadonlyMap<string, Platform> = new Map(
  shippedMissions().flatMap((mission) => [...mission.platforms]),
);
const fleet = { modes: new Set(['safe', 'nominal']), links: new Set(['uhf']) };
const place = { file: 'fuzz.yaml', position: () => ({ line: 1, column: 1 }) };

const WORDS = [
  'sat',
  'sat.obc.ping',
  'sat.obc.reboot',
  'sat.obc.set_mode',
  'sat.battery[$cell].set_heater',
  'sat.power.switch',
  'sat.files[$file].read',
  'sat.files[$file]',
  'sat.battery[1].set_heater',
  '$cell',
  '$file',
  '$content',
  '$n',
  '$a',
  'sat.obc.mode == SAFE',
  '$n > 3',
  'sat.battery[$cell].voltage > 6 V and stable for 3 s',
  'sat.obc.counter changes',
  '{$n} of {sat.obc.mode}',
  '{{x}}',
  '{sat.battery[$cell].voltage}',
  '{',
  '1 s',
  '10 min',
  '-1 s',
  '0 s',
  '1 d',
  'safe',
  'uhf',
  'a',
  'b',
  'c',
  'main',
  'other',
  'ops',
  'ops@1.0.0',
  'cell',
  'mode',
  'channel',
  'on',
  'on_below',
  'SAFE',
  'supervisor',
  'f64',
  'u8',
  'ObcMode',
  'instance',
  'battery',
  'file',
  'V',
  'payload',
  'image',
  'file_id',
];

/** Statements of every kind, those that hold others holding some. */
const { statements } = fc.letrec<{ statements: Json[]; statement: Json }>((tie) => ({
  statements: fc.array(tie('statement'), { minLength: 1, maxLength: 5, depthIdentifier: 'steps' }),
  statement: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'steps' },
    ...Object.entries(STATEMENT_SHAPES).map(([kind, shape]) => {
      const made = ofSchema(shape, WORDS) as fc.Arbitrary<Record<string, Json>>;
      if (kind !== 'step' && kind !== 'if failed') return made as fc.Arbitrary<Json>;
      const key = kind === 'step' ? 'do' : kind;
      return fc.tuple(made, tie('statements')).map(([outer, inner]) => ({ ...outer, [key]: inner as Json }));
    }),
  ),
}));

const procedure = (steps: Json): Json => ({
  roles: { sat: 'cubesat-6u' },
  inputs: {
    n: { type: 'f64' },
    cell: { type: 'instance', of: 'battery' },
    file: { type: 'file_id', of: 'image' },
    content: { type: 'file', default: null },
  },
  steps,
});

/** What compiles has an outline; what does not says of each fault what and how to repair it. */
function check(procedures: Json): void {
  const list = new FaultList();
  const document = { library: 'ops', version: '1.0.0', imports: ['cubesat-6u@1.0.0'], procedures };
  const faults = list.at(place);
  if (checkShape(LibraryDocument, document, faults)) {
    const around = { platforms, environments: ['bench'], fleet: () => fleet };
    const source = { document: document as unknown as LibraryDocument, faults };
    const libraries = compileLibraries([source], around);
    if (list.faults.length === 0) {
      for (const each of libraries.get('ops@1.0.0')?.procedures.values() ?? [])
        JSON.stringify(outlineOf(each));
    }
  }
  for (const { message, help } of [...list.faults, ...list.warnings])
    demand(
      message !== '' && help !== '',
      () => `a fault without ${message === '' ? 'message' : `help: ${message}`}`,
    );
}

describe('any procedures', { timeout: FUZZ_TEST_MS }, () => {
  it('of statements of every kind compile and have an outline, or every fault is reported with its help', () => {
    const two = fc.tuple(statements, statements);
    fuzz({ cases: 2_000 }, two, ([main, other]) => check({ main: procedure(main), other: procedure(other) }));
  });

  it('of one statement of every kind do so too', () => {
    fuzz({ cases: 3_000 }, statements, (steps) => check({ main: procedure(steps.slice(0, 1)) }));
  });

  it('with a part that is something else do so too', () => {
    const whole = statements.map((steps) => ({ main: procedure(steps) }) as Json);
    fuzz({ cases: 1_500 }, damaged(damaged(fc.oneof({ weight: 6, arbitrary: whole }, anyJson))), check);
  });
});
