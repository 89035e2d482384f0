/** A small platform and libraries over it, for the tests of the procedure compiler: each test writes its procedures. */

import { expect } from 'vitest';
import { stringify } from 'yaml';
import { canonicalJson } from '../../../mission/canonical.ts';
import { compile } from '../../../mission/compile.ts';
import type { SourceFile } from '../../../mission/document/read.ts';
import { load } from '../../../mission/load.ts';
import type { Node, Procedure, Statement } from '../../../mission/procedure/procedure.ts';
import { compiled, faultsOf, platform, shown } from '../documents.ts';

export const sat = { sat: 'box' };

const box = platform({
  enums: { Mode: { SAFE: 0, NOMINAL: 1 }, Channel: { payload: 1, heater: 2 } },
  components: {
    obc: {
      measures: { mode: { type: 'Mode' }, counter: { type: 'u16' }, uptime: { type: 'u32', unit: 's' } },
      parameters: { watchdog: { type: 'u16', unit: 's', set: 'obc.set_watchdog.period' } },
      telecommands: {
        ping: { changes_state: false, verify: { expect: 'counter changes', within: '10 s' } },
        set_mode: { args: { mode: { type: 'Mode' } } },
        set_watchdog: {
          args: { period: { type: 'u16', unit: 's', range: ['10 s', '600 s'], default: '60 s' } },
        },
        reboot: { hazardous: true, verify: { expect: 'mode == SAFE', within: '1 min' } },
        tell: {
          changes_state: false,
          args: {
            text: { type: 'string', default: '' },
            data: { type: 'bytes', default: '00' },
            on: { type: 'bool', default: true },
          },
        },
      },
    },
    battery: {
      instances: ['1', '2'],
      measures: { voltage: { type: 'f64', unit: 'V' } },
      parameters: { heater_on: { type: 'f64', unit: 'degC', set: 'battery.set_heater.below' } },
      telecommands: {
        set_heater: {
          args: { below: { type: 'f64', unit: 'degC' } },
          verify: { expect: 'voltage > 0 V', within: '20 s' },
        },
      },
    },
    camera: {
      instances: ['a', 'b'],
      telecommands: {
        shoot: { args: { exposure: { type: 'f64', unit: 'ms', range: ['0.1 ms', '500 ms'] } } },
      },
    },
  },
  files: {
    types: { 1: { name: 'log' }, 2: { name: 'image' } },
    telecommands: {
      list: { changes_state: false },
      erase: { instance: 'file', encode: { fields: [{ type: 'u16', from: '$instance' }] } },
    },
  },
});

const pod: SourceFile = {
  file: 'pod.yaml',
  text: stringify({
    platform: 'pod',
    version: '2.0.0',
    enums: { Mode: { OFF: 0, ON: 1 } },
    components: { battery: { instances: ['x'], measures: { voltage: { type: 'f64', unit: 'V' } } } },
  }),
};

const topology: SourceFile = {
  file: 'topology.yaml',
  text: stringify({
    topology: 'small',
    environments: { bench: { drafts: 'allowed' }, in_orbit: { kind: 'in_orbit' } },
    drivers: { pus: { protocol: 'outside' } },
    targets: {
      sat1: {
        platform: 'box@1.0.0',
        environments: ['bench'],
        modes: ['safe', 'nominal'],
        links: { uhf: { default: true, driver: 'pus' }, sband: { driver: 'pus' } },
      },
    },
  }),
};

export const library = (procedures: object, parts: object = {}): SourceFile => {
  const document = {
    library: 'ops',
    version: '1.0.0',
    imports: ['box@1.0.0', 'pod@2.0.0'],
    procedures,
    ...parts,
  };
  return { file: `${document.library}.yaml`, text: stringify(document) };
};

export const documents = (...libraries: readonly SourceFile[]): SourceFile[] => [
  box,
  pod,
  topology,
  ...libraries,
];

/** The procedures of the first library, by way of canonical JSON, which sorts the keys of statements. */
export function proceduresOf(...libraries: readonly SourceFile[]): ReadonlyMap<string, Procedure> {
  const { configuration, revision } = compiled(documents(...libraries));
  const found = load(JSON.parse(canonicalJson(configuration)), revision).libraries.get('ops@1.0.0');
  if (found === undefined) throw new Error('no library');
  return found.procedures;
}

/** The procedure `main` with these steps. */
export function procedure(steps: readonly object[], parts: object = {}, others: object = {}): Procedure {
  const found = proceduresOf(library({ main: { roles: sat, ...parts, steps }, ...others })).get('main');
  if (found === undefined) throw new Error('no procedure');
  return found;
}

/** The only statement of a procedure of one step. */
export function statement<Kind extends Statement['kind']>(
  written: object,
  kind: Kind,
  parts: object = {},
): Extract<Statement, { kind: Kind }> {
  const [node] = procedure([written], parts).steps;
  const [first] = node?.kind === 'step' ? (node.statements ?? []) : [];
  expect(first?.kind).toBe(kind);
  return first as Extract<Statement, { kind: Kind }>;
}

/** The faults of the procedure `main` with these steps, one a line. */
export function faults(steps: readonly object[], parts: object = {}, others: object = {}): string {
  return faultsIn(library({ main: { roles: sat, ...parts, steps }, ...others }));
}

export function faultsIn(...libraries: readonly SourceFile[]): string {
  return faultsOf(documents(...libraries))
    .map(shown)
    .join('\n');
}

export function warnings(steps: readonly object[]): string {
  const outcome = compile(documents(library({ main: { roles: sat, steps } })));
  if (!outcome.ok) throw new Error(outcome.faults.map(shown).join('\n'));
  return outcome.value.warnings
    .map(shown)
    .filter((each) => each.startsWith('ops'))
    .join('\n');
}

/** Paths of the nodes, in order; an `if failed` is a question mark. */
export function paths(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'if_failed') return ['?', ...paths(node.steps)];
    return [node.path, ...(node.kind === 'step' ? paths(node.steps ?? []) : [])];
  });
}
