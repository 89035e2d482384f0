/** What a run request resolves to: the program, complete and the same every time. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DRIVER_ANSWER_MS, GATEWAY_ANSWER_MS } from '../../../contract/limits/link.ts';
import { TELECOMMAND_MARGIN_MS } from '../../../contract/limits/telecommand.ts';
import type { Program, ProgramNode } from '../../../contract/program.ts';
import { programDocument, readProgram } from '../../../mission/procedure/program-document.ts';
import { hashesIn, resolveRun } from '../../../mission/procedure/resolve-run.ts';
import { known, mission, type Part, program, resolved, STORED, statementsOf } from './run-mission.ts';

const TELECOMMAND_MS = TELECOMMAND_MARGIN_MS + DRIVER_ANSWER_MS + GATEWAY_ANSWER_MS;
const take: Part = { inputs: { image: 7 } };

const pathsOf = (nodes: readonly ProgramNode[]): string[] =>
  nodes.flatMap((node) => [...(node.kind === 'if_failed' ? [] : [node.path]), ...pathsOf(node.steps ?? [])]);
const kinds = (run: string, part: Part): string[] =>
  statementsOf(program(run, part).steps).map(({ kind }) => kind);
const only = (run: string, part: Part = {}): object => statementsOf(program(run, part).steps)[0] ?? {};

describe('the program', () => {
  it('names what is run, where, with what and under which configuration', () => {
    expect(program('take', { ...take, plan: 'pass-1' })).toMatchObject({
      format: 1,
      config: mission.revision,
      procedure: 'take',
      library: 'ops@1.2.0',
      environment: 'bench',
      targets: { sat: 'sat1' },
      plan: 'pass-1',
      inputs: { exposure: 20, cell: '2', image: 7, patch: null },
      policy: { identity: 'declared', humanOrchestration: false, hazardousConfirmation: [] },
    });
    expect(program('nothing', { environment: 'flight' }).policy).toEqual({
      identity: 'jwt',
      humanOrchestration: true,
      hazardousConfirmation: ['supervisor'],
    });
  });

  it('gives steps whole paths, those of a call behind the path of the call', () => {
    const { steps } = program('take', { inputs: { image: 7, patch: STORED } });
    expect(pathsOf(steps)).toEqual([
      '#1',
      'prepare',
      'shoot',
      'store',
      'store/put',
      'store/#1',
      '#2',
      'heat',
      'heat/warm',
    ]);
  });

  it('puts the values of inputs into telecommands, in the unit of the argument', () => {
    const { steps } = program('take', { inputs: { image: 7, exposure: '0.3 s' } });
    const sent = statementsOf(steps).find((each) => each.kind === 'send');
    expect(sent).toEqual({
      kind: 'send',
      target: 'sat1',
      link: 'sband',
      component: 'camera',
      telecommand: 'shoot',
      args: { exposure: { value: 0.3 } },
      changesState: true,
      hazardous: false,
      retry: 0,
    });
  });

  it('names the environment of a telecommand only where its link differs by it', () => {
    expect(only('look', { library: 'ops', targets: { sat: 'sat1', eye: 'radio1' } })).toMatchObject({
      link: 'uhf',
      environment: 'bench',
      retry: 2,
    });
    expect(only('look', { library: 'ops', targets: { sat: 'radio1', eye: 'sat1' } })).not.toHaveProperty(
      'environment',
    );
  });

  it('puts inputs into texts and instances, and leaves answers to the run', () => {
    const [first, , , , level] = statementsOf(program('take', take).steps);
    const voltage = { target: 'sat1', component: 'battery', instance: { value: '2' }, measure: 'voltage' };
    expect(first).toEqual({ kind: 'log', message: ['taking ', '20 ms', ' with ', voltage] });
    expect(level).toEqual({ kind: 'log', message: ['level ', { name: 'level', unit: 'dB' }] });
  });

  it('gives an argument that is an answer by its name and unit', () => {
    expect(statementsOf(program('asked').steps)[1]).toMatchObject({
      args: { exposure: { name: 'wanted', unit: 'ms' } },
    });
  });

  it('converts what a call passes on into the unit of the called procedure', () => {
    const { steps } = program('deep', { inputs: { exposure: '0.25 s' } });
    expect(steps[0]).toMatchObject({
      kind: 'call',
      path: 'aim',
      procedure: 'aim',
      library: 'ops@1.2.0',
      targets: { sat: 'sat1' },
      inputs: { exposure: 250 },
    });
    expect(statementsOf(steps)[0]).toMatchObject({ args: { exposure: { value: 0.25 } } });
  });

  it('maps the roles of a call', () => {
    const { steps } = program('take', take);
    expect(steps.at(-1)).toMatchObject({
      kind: 'if_failed',
      steps: [{ targets: { craft: 'sat1' }, inputs: { below: 271.15, cell: '2' } }],
    });
    expect(statementsOf(steps).at(-1)).toMatchObject({
      target: 'sat1',
      instance: { value: '2' },
      args: { on_below: { value: -2 } },
    });
  });

  it('gives a condition the roles, inputs and types it needs to be compiled again', () => {
    expect(statementsOf(program('take', take).steps).find(({ kind }) => kind === 'check')).toMatchObject({
      condition: 'sat.battery[$cell].voltage > 6 V',
      targets: { sat: 'sat1' },
      maxAgeMs: 60_000,
      inputs: { cell: '2' },
      inputTypes: { cell: { type: 'instance', of: 'battery' } },
      answers: {},
    });
  });

  it('leaves out the upload of an optional file without value, and warns', () => {
    expect(kinds('take', take)).not.toContain('upload');
    expect(resolved('take', take).warnings).toEqual([
      'step store/put: the upload to sat.files is left out, input "patch" has no value',
    ]);
    expect(kinds('take', { inputs: { image: 7, patch: STORED } })).toContain('upload');
    expect(resolved('take', { inputs: { image: 7, patch: STORED } }).warnings).toEqual([]);
  });

  it('MC-RUN-016 names the stored pass, also when a contribution to it is given', () => {
    expect(program('nothing', { plan: 'contribution-7' }).plan).toBe('pass-1');
  });
});

describe('a configuration', () => {
  const configure = (environment: string): object =>
    statementsOf(program('take', { ...take, environment }).steps).find(({ kind }) => kind === 'configure') ??
    {};
  const setters = (environment: string): string[] => {
    const { setters: sent } = configure(environment) as {
      setters: { telecommand: string; instance?: object; args: object }[];
    };
    return sent.map(({ telecommand, instance, args }) => JSON.stringify([telecommand, instance, args]));
  };

  it('sends the setters of every parameter with a value in the mode, in the order of the platform', () => {
    expect(setters('bench')).toEqual([
      '["set_watchdog",null,{"period":{"value":120}}]',
      '["set_heater",{"value":"1"},{"on_below":{"value":0}}]',
      '["set_heater",{"value":"2"},{"on_below":{"value":-2}}]',
    ]);
  });

  it('MC-PAR-012 MC-PAR-014 overrides by environment, but not the instance that has its own value', () => {
    expect(setters('lab')).toEqual([
      '["set_watchdog",null,{"period":{"value":600}}]',
      '["set_heater",{"value":"1"},{"on_below":{"value":4}}]',
      '["set_heater",{"value":"2"},{"on_below":{"value":-2}}]',
    ]);
  });

  it('reads back in the unit of the measure, enums by name', () => {
    expect(configure('bench')).toMatchObject({
      withinMs: 30_000,
      readbacks: [
        { parameter: 'obc.watchdog', component: 'obc', measure: 'watchdog', value: 120_000 },
        { parameter: 'obc.mode', measure: 'mode', value: 'NOMINAL' },
        { parameter: 'battery[1].heater_on', instance: '1', value: 273.15 },
        { parameter: 'battery[2].heater_on', instance: '2', value: 271.15 },
      ],
    });
  });

  it('leaves alone the parameters to which the target gives no value', () => {
    expect(JSON.stringify(configure('bench'))).not.toContain('spare');
  });
});

describe('what a program demands', () => {
  const leases = (run: string, part: Part = {}): string[] =>
    program(run, part).leases.map(({ target, mode }) => `${target} ${mode}`);

  it('MC-STM-032 holds exclusively what it may change, and shared what it reads', () => {
    expect(leases('look', { library: 'ops', targets: { sat: 'sat1', eye: 'radio1' } })).toEqual([
      'radio1 shared',
      'sat1 shared',
    ]);
    expect(leases('nothing')).toEqual(['sat1 shared']);
    expect(leases('set')).toEqual(['sat1 exclusive']);
    expect(leases('configure')).toEqual(['sat1 exclusive']);
    expect(leases('deep', { inputs: { exposure: '10 ms' } })).toEqual(['sat1 exclusive']);
    expect(leases('typed')).toEqual(['sat1 shared']);
  });

  it('holds a target once that has two roles', () => {
    expect(leases('look', { library: 'ops', targets: { sat: 'sat1', eye: 'sat1' } })).toEqual([
      'sat1 shared',
    ]);
  });

  it('reports whether it sends, and whether anything hazardous', () => {
    expect(program('nothing')).toMatchObject({ sends: false, hazardous: false });
    expect(program('configure')).toMatchObject({ sends: true, hazardous: false });
    expect(program('typed')).toMatchObject({ sends: true, hazardous: false });
    expect(program('reboot_both')).toMatchObject({ sends: true, hazardous: true });
  });

  it('MC-RUN-057 lasts at most the sum of all it may do, with every retry, timeout and wait', () => {
    const configured = 3 * TELECOMMAND_MS + 30_000;
    const shot = 3 * (TELECOMMAND_MS + 5 * 60_000) + 2 * 10_000;
    const heated = TELECOMMAND_MS;
    expect(program('take', take).maxDurationMs).toBe(configured + shot + 1_000 + heated);
    expect(program('look', { library: 'ops', targets: { sat: 'sat1', eye: 'sat1' } }).maxDurationMs).toBe(
      3 * (TELECOMMAND_MS + 10_000) + 5_000,
    );
  });

  it('counts what the configuration of this target really sends', () => {
    const part: Part = { targets: { sat: 'bare' } };
    expect(program('configure', part)).toMatchObject({ maxDurationMs: 0, sends: false });
    expect(program('configure').maxDurationMs).toBe(3 * TELECOMMAND_MS + 60_000);
  });
});

describe('the hash', () => {
  const asked = {
    run: 'take',
    environment: 'bench',
    targets: { sat: 'sat1' },
    inputs: { image: 7, exposure: '20 ms' },
  };
  const irOf = (request: typeof asked): string => {
    const result = resolveRun(mission, request, known);
    if (!result.ok) throw new Error(JSON.stringify(result.faults));
    return result.value.ir;
  };

  it('MC-RUN-041 is the same for the same request, whatever the order of its keys', () => {
    const { run, environment, targets, inputs } = asked;
    const turned = { inputs: { exposure: inputs.exposure, image: inputs.image }, targets, environment, run };
    expect(irOf(turned)).toBe(irOf(asked));
    expect(irOf({ ...asked, inputs: { image: 7, exposure: '0.02 s' } })).toBe(irOf(asked));
  });

  it('MC-GEN-021 is another for another input, target, environment or configuration', () => {
    const others = [
      irOf(asked),
      irOf({ ...asked, inputs: { image: 8, exposure: '20 ms' } }),
      irOf({ ...asked, environment: 'lab' }),
      irOf({ ...asked, targets: { sat: 'twin' } }),
    ];
    expect(new Set(others).size).toBe(others.length);
    const moved = resolveRun({ ...mission, revision: '0'.repeat(64) }, asked, known);
    expect(moved.ok && moved.value.ir).not.toBe(irOf(asked));
  });

  it('names the canonical bytes, which read back as the program', () => {
    const { ir, canonical, program: made } = resolved('take', take);
    const turned = Object.fromEntries(Object.entries(made).reverse()) as unknown as Program;
    expect(programDocument(turned)).toEqual({ ir, canonical });
    expect(readProgram(Buffer.from(canonical), ir)).toEqual({
      ok: true,
      value: JSON.parse(JSON.stringify(made)),
    });
  });

  it('refuses bytes of another hash, and another format', () => {
    const { ir, canonical } = resolved('nothing');
    const damaged = readProgram(Buffer.from(canonical.replace('bench', 'bunch')), ir);
    expect(damaged).toMatchObject({ ok: false, faults: [expect.stringContaining('has the hash')] });
    const later = Buffer.from('{"format":2}');
    const hash = createHash('sha256').update(later).digest('hex');
    expect(readProgram(later, hash)).toMatchObject({
      ok: false,
      faults: [expect.stringContaining('of format 2')],
    });
  });
});

describe('simulated faults', () => {
  const faults = (given: NonNullable<Part['faults']>): object[] => [
    ...program('take', { ...take, faults: given }).faults,
  ];

  it('MC-RUN-019 name the target and the gateway that switches them', () => {
    expect(faults([{ target: 'sat', fault: 'cell_drain' }])).toEqual([
      { target: 'sat1', gateway: 'sim', fault: 'cell_drain', at: { afterMs: 0 }, off: null },
    ]);
  });

  it('MC-RUN-022 MC-RUN-024 are switched at steps by name or path, after a delay', () => {
    const [both, begun] = faults([
      { target: 'sat', fault: 'a', at: { step: 'store/put', after: '2 s' }, off: { step: 'warm' } },
      { target: 'sat', fault: 'b', at: { after: '1 min' }, off: null },
    ]);
    expect(both).toMatchObject({
      at: { step: 'store/put', afterMs: 2_000 },
      off: { step: 'heat/warm', afterMs: 0 },
    });
    expect(begun).toMatchObject({ at: { afterMs: 60_000 }, off: null });
  });
});

it('asks only for the uploads that inputs of the procedure may name', () => {
  const inputs = { patch: STORED.toUpperCase(), text: 'ef'.repeat(32), image: 7 };
  expect(hashesIn({ run: 'typed', inputs }, mission)).toEqual([STORED]);
  expect(hashesIn({ run: 'typed', inputs: { patch: 'ab' } }, mission)).toEqual([]);
  expect(hashesIn({ run: 'unheard', inputs }, mission)).toEqual([]);
});
