/** Reactions of alarms: what the compiler refuses, and the run that an activation resolves to. */

import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { SourceFile } from '../../mission/document/read.ts';
import { resolveReaction } from '../../mission/procedure/reaction.ts';
import { faultsOf, loaded, platform, shown, topology } from './documents.ts';

const BOX = {
  components: {
    tank: {
      instances: ['a', 'b'],
      measures: { level: { type: 'f64' } },
      alarms: { low: { when: 'level < 1', severity: 'critical', on_raise: 'run "shed"' } },
    },
    pump: {
      measures: { speed: { type: 'f64' } },
      telecommands: { go: {}, blow: { hazardous: true }, stop: { changes_state: true } },
      alarms: { slow: { when: 'speed < 1', severity: 'warning', on_raise: 'run "spin"' } },
    },
  },
};

const step = (...statements: object[]): object[] => [{ step: 'only', do: statements }];
const GO = { send: 'sat.pump.go' };

function library(procedures: object, name = 'ops', parts: object = {}): SourceFile {
  const head = { library: name, version: '1.0.0', imports: ['box@1.0.0'] };
  return { file: `${name}.yaml`, text: stringify({ ...head, ...parts, procedures }) };
}

const roles = { sat: 'box' };
const SHED = { roles, inputs: { tank: { type: 'instance', of: 'tank' } }, steps: step(GO) };
const SPIN = { roles, inputs: { n: { type: 'u8', default: 3 } }, steps: step(GO) };

function mission(...documents: SourceFile[]) {
  const environments = { bench: {}, rehearsal: {}, flight: {} };
  const sat = {
    platform: 'box@1.0.0',
    environments: ['flight', 'bench'],
    links: { uhf: { default: true, driver: 'pus' } },
  };
  return loaded([platform(BOX), topology({ environments, targets: { sat } }), ...documents]);
}

function faultsFound(...documents: SourceFile[]): string[] {
  return faultsOf([platform(BOX), topology(), ...documents]).map(shown);
}

describe('a reaction, compiled', () => {
  it('may have one role, and one input that is the instance, or inputs with defaults', () => {
    expect(() => mission(library({ shed: SHED, spin: SPIN }))).not.toThrow();
    expect(() => mission(library({ shed: { roles, steps: step(GO) }, spin: SPIN }))).not.toThrow();
  });

  it('MC-REACT-007 is refused where its procedure has not exactly one role', () => {
    const two = { ...SHED, roles: { sat: 'box', other: 'box' } };
    const [fault, ...more] = faultsFound(library({ shed: two, spin: SPIN }));
    expect(more).toEqual([]);
    expect(fault).toMatch(
      /^platform.yaml:\d+:\d+ components.tank.alarms.low.on_raise procedure shed has the/,
    );
    expect(fault).toContain('roles sat, other');
  });

  it('MC-REACT-007 is refused where its role is of another platform', () => {
    const other = {
      file: 'other.yaml',
      text: stringify({ platform: 'cube', version: '2.0.0', components: {} }),
    };
    const cube = { roles: { sat: 'cube' }, steps: step({ wait: '1 s' }) };
    const imports = { imports: ['box@1.0.0', 'cube@2.0.0'] };
    const found = faultsFound(library({ shed: SHED, spin: cube }, 'ops', imports), other);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/alarms.slow.on_raise role sat of procedure spin is a cube@2.0.0/);
  });

  it('MC-REACT-008 is refused where a component has instances and the inputs are not one of them', () => {
    const { inputs } = SHED;
    const more = { ...SHED, inputs: { ...inputs, n: { type: 'u8', default: 1 } } };
    expect(faultsFound(library({ shed: more, spin: SPIN }))).toEqual([
      expect.stringMatching(
        /low.on_raise procedure shed has the inputs tank, n, and a reaction has at most one/,
      ),
    ]);
    const wrong = { ...SHED, inputs: { n: { type: 'u8', default: 1 } } };
    expect(faultsFound(library({ shed: wrong, spin: SPIN }))).toEqual([
      expect.stringMatching(/low.on_raise input "n" of procedure shed is not an instance of tank/),
    ]);
  });

  it.each([
    ['the limits of a measure', { type: 'f64', limits: { soft: [0, 1], on_raise: 'run "shed"' } }, 'limits.'],
    ['a measure with limits', { type: 'f64', limits: { soft: [0, 1] }, on_raise: 'run "shed"' }, ''],
  ])('MC-REACT-024 is refused in %s: only named alarms have one', (_, measure, within) => {
    const components = { ...BOX.components, tank: { ...BOX.components.tank, measures: { level: measure } } };
    const documents = [platform({ components }), topology(), library({ shed: SHED, spin: SPIN })];
    const [fault, ...more] = faultsOf(documents).map(shown);
    expect(more).toEqual([]);
    expect(fault).toMatch(
      new RegExp(
        `components\\.tank\\.measures\\.level\\.${within.replace('.', '\\.')}on_raise unknown key "on_raise"`,
      ),
    );
    expect(fault).toContain('only a named alarm has a reaction: declare one under alarms, with `when`');
  });

  it('is refused where nothing gives its input a value', () => {
    const open = { ...SPIN, inputs: { n: { type: 'u8' } } };
    expect(faultsFound(library({ shed: SHED, spin: open }))).toEqual([
      expect.stringMatching(/slow.on_raise input "n" of procedure spin has no default/),
    ]);
  });

  it('MC-REACT-009 is refused where it sends a hazardous telecommand, also in what it calls', () => {
    const blow = { roles, steps: step({ send: 'sat.pump.blow' }) };
    const calling = { ...SHED, steps: [{ call: 'blow', roles: { sat: 'sat' } }] };
    expect(faultsFound(library({ shed: calling, spin: SPIN, blow }))).toEqual([
      expect.stringMatching(/low.on_raise procedure shed sends the hazardous .*pump.blow in blow\/only/),
    ]);
  });

  it('is reported for everything at once, each alarm at its own place', () => {
    const bad = {
      roles: { sat: 'box', other: 'box' },
      inputs: { n: { type: 'u8' } },
      steps: step({ send: 'sat.pump.blow' }),
    };
    expect(faultsFound(library({ shed: bad, spin: bad }))).toHaveLength(6);
  });

  it('is refused where several libraries have the procedure, naming them', () => {
    const found = faultsFound(library({ shed: SHED, spin: SPIN }), library({ spin: SPIN }, 'more'));
    expect(found).toEqual([expect.stringMatching(/several libraries have a procedure "spin": .*more@1.0.0/)]);
  });

  it('means the one of its own platform, where libraries of several platforms have the procedure', () => {
    const other = {
      file: 'other.yaml',
      text: stringify({ platform: 'cube', version: '2.0.0', components: {} }),
    };
    const cube = { roles: { sat: 'cube' }, steps: step({ wait: '1 s' }) };
    const cubes = library({ spin: cube }, 'cubes', { imports: ['cube@2.0.0'] });
    expect(() => mission(other, cubes, library({ shed: SHED, spin: SPIN }))).not.toThrow();
  });
});

describe('a reaction, resolved', () => {
  const of = () => mission(library({ shed: SHED, spin: SPIN }));
  const low = { target: 'sat', component: 'tank', instance: 'b', alarm: 'low' };
  const slow = { target: 'sat', component: 'pump', alarm: 'slow' };

  it('MC-REACT-007 MC-REACT-008 binds the role to the target and the input to the instance', () => {
    const resolved = resolveReaction(of(), { alarm: low, procedure: 'shed', environment: 'bench' });
    expect(resolved).toMatchObject({
      ok: true,
      value: { program: { targets: { sat: 'sat' }, inputs: { tank: 'b' }, environment: 'bench' } },
    });
    const other = resolveReaction(of(), { alarm: slow, procedure: 'spin', environment: 'bench' });
    expect(other).toMatchObject({ ok: true, value: { program: { inputs: { n: 3 } } } });
  });

  it('MC-REACT-011 takes the last environment, in the order of the topology, that its target is engaged in', () => {
    const resolved = resolveReaction(of(), { alarm: slow, procedure: 'spin', environment: undefined });
    expect(resolved).toMatchObject({ ok: true, value: { program: { environment: 'flight' } } });
  });

  it('MC-REACT-012 is refused as a launch is', () => {
    const elsewhere = resolveReaction(of(), { alarm: slow, procedure: 'spin', environment: 'rehearsal' });
    expect(elsewhere).toMatchObject({ ok: false, faults: [{ code: 'run::target-not-in-environment' }] });
    const draft = mission(library({ shed: SHED, spin: { ...SPIN, status: 'draft' } }));
    const refused = resolveReaction(draft, { alarm: slow, procedure: 'spin', environment: undefined });
    expect(refused).toMatchObject({ ok: false, faults: [{ code: 'run::draft-not-allowed' }] });
    const nowhere = resolveReaction(of(), {
      alarm: { ...slow, target: 'x' },
      procedure: 'spin',
      environment: 'bench',
    });
    expect(nowhere).toMatchObject({ ok: false, faults: [{ code: 'run::unknown-target' }] });
  });
});
