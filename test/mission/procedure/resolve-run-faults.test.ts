/** Every refusal of a run request (section 7.4), and that one answer reports all of them. */

import { describe, expect, it } from 'vitest';
import { resolveRun } from '../../../mission/procedure/resolve-run.ts';
import { demoMission } from '../../support/missions.ts';
import {
  faultsOf,
  known,
  mission,
  type Part,
  program,
  reportedAt,
  STORED,
  UNKNOWN_UPLOAD,
} from './run-mission.ts';

const image: Part = { inputs: { image: 7 } };

describe('the procedure', () => {
  it('MC-ERR-051 refuses an unknown library', () => {
    expect(reportedAt('look', { library: 'opps' })).toEqual(['run::unknown-library /library']);
    expect(faultsOf('look', { library: 'opps' })[0]?.help).toBe('did you mean "ops"?');
  });

  it('MC-ERR-052 refuses an unknown procedure', () => {
    expect(reportedAt('lok')).toEqual(['run::unknown-procedure /run']);
    expect(reportedAt('take', { library: 'backup' })).toEqual(['run::unknown-procedure /run']);
  });

  it('MC-ERR-053 MC-RUN-002 refuses a procedure of several libraries unless the library is given', () => {
    const targets = { sat: 'sat1' };
    expect(reportedAt('look', { targets })).toEqual(['run::ambiguous-procedure /library']);
    expect(program('look', { targets, library: 'backup' }).library).toBe('backup@1.0.0');
    expect(program('look', { targets, library: 'backup@1.0.0' }).library).toBe('backup@1.0.0');
  });

  it('MC-ERR-054 MC-RUN-055 refuses a procedure the environment does not allow', () => {
    expect(reportedAt('bench_only', { environment: 'lab' })).toEqual(['run::not-allowed /environment']);
    expect(program('bench_only').procedure).toBe('bench_only');
  });

  it('MC-ERR-055 MC-RUN-055 refuses a draft where drafts are not allowed, also one that is called', () => {
    expect(reportedAt('draft', { environment: 'lab' })).toEqual(['run::draft-not-allowed /run']);
    expect(reportedAt('calls_draft', { environment: 'lab' })).toEqual(['run::draft-not-allowed /run']);
    expect(program('calls_draft').procedure).toBe('calls_draft');
  });
});

describe('the environment and the plan', () => {
  it('MC-ERR-050 MC-RUN-003 refuses an unknown environment', () => {
    expect(reportedAt('set', { environment: 'bensch' })).toEqual(['run::unknown-environment /environment']);
  });

  it('MC-ERR-074 MC-RUN-016 refuses a plan that names no pass', () => {
    expect(reportedAt('set', { plan: 'pass-2' })).toEqual(['run::unknown-pass /plan']);
  });

  it('MC-ERR-071 MC-RUN-039 refuses a hazardous procedure without the plan its environment requires', () => {
    expect(reportedAt('reboot', { environment: 'flight' })).toEqual(['run::plan-required /plan']);
    expect(reportedAt('reboot_both', { environment: 'flight' })).toEqual(['run::plan-required /plan']);
    expect(reportedAt('reboot_both', { environment: 'flight', targets: {} })).toEqual([
      'run::missing-target /targets',
      'run::plan-required /plan',
    ]);
    expect(program('reboot').hazardous).toBe(true);
    expect(program('set', { environment: 'flight' }).hazardous).toBe(false);
  });

  it('MC-ERR-072 MC-RUN-040 refuses it with a plan too, unless a schedule starts it', () => {
    const part: Part = { environment: 'flight', plan: 'pass-1' };
    expect(reportedAt('reboot', part)).toEqual(['run::must-be-scheduled /plan']);
    expect(reportedAt('reboot', part, { from: 'reaction' })).toEqual(['run::must-be-scheduled /plan']);
    expect(program('reboot', part, { from: 'schedule' }).plan).toBe('pass-1');
    expect(reportedAt('reboot', { environment: 'flight' }, { from: 'schedule' })).toEqual([
      'run::plan-required /plan',
    ]);
  });
});

describe('targets', () => {
  const sat = (target: string): Part => ({ targets: { sat: target } });

  it('MC-ERR-056 MC-RUN-004 refuses a role the procedure does not have', () => {
    expect(reportedAt('set', { targets: { sat: 'sat1', extra: 'sat1' } })).toEqual([
      'run::unexpected-target /targets/extra',
    ]);
  });

  it('MC-ERR-057 MC-RUN-004 refuses a role without target', () => {
    expect(reportedAt('set', { targets: {} })).toEqual(['run::missing-target /targets']);
  });

  it('MC-ERR-058 refuses an unknown target', () => {
    expect(reportedAt('set', sat('sat9'))).toEqual(['run::unknown-target /targets/sat']);
  });

  it('MC-ERR-059 refuses a target of another platform', () => {
    expect(reportedAt('set', sat('pod1'))).toEqual(['run::wrong-platform /targets/sat']);
  });

  it('MC-ERR-060 MC-GEN-023 refuses a target of another version of the platform', () => {
    expect(reportedAt('set', sat('newer1'))).toEqual(['run::catalogue-version /targets/sat']);
  });

  it('MC-ERR-061 refuses what a call brings in of a platform version the library does not import', () => {
    expect(reportedAt('mixed')).toEqual(['run::not-imported /run']);
  });

  it('MC-ERR-062 refuses a target that is not engaged in the environment', () => {
    expect(reportedAt('configure', sat('far'))).toEqual(['run::target-not-in-environment /targets/sat']);
  });

  it('refuses a target that does not declare the mode it is to be set to', () => {
    expect(reportedAt('set', sat('radio1'))).toEqual(['run::invalid-input /targets/sat']);
    expect(faultsOf('configure', sat('radio1'))[0]?.message).toBe(
      'step #1: target radio1 has no mode "nominal"',
    );
  });
});

describe('inputs', () => {
  it('MC-ERR-063 MC-RUN-005 refuses an input the procedure does not have', () => {
    expect(reportedAt('take', { inputs: { image: 7, speed: 3 } })).toEqual([
      'run::unexpected-input /inputs/speed',
    ]);
  });

  it('MC-ERR-064 MC-RUN-005 refuses an input without value', () => {
    expect(reportedAt('take')).toEqual(['run::missing-input /inputs/image']);
  });

  it('MC-ERR-065 refuses an input that does not fit', () => {
    const inputs = { image: -1, exposure: '20 V', cell: '3', patch: UNKNOWN_UPLOAD };
    expect(reportedAt('take', { inputs })).toEqual([
      'run::invalid-input /inputs/exposure',
      'run::invalid-input /inputs/cell',
      'run::invalid-input /inputs/image',
      'run::invalid-input /inputs/patch',
    ]);
  });

  it('MC-ERR-065 refuses an input outside the range of the argument it is for, and names the telecommand', () => {
    const [found, ...more] = faultsOf('take', { inputs: { image: 7, exposure: '600 ms' } });
    expect(found).toEqual({
      code: 'run::invalid-input',
      path: '/inputs/exposure',
      message: 'step shoot: argument "exposure" of camera.shoot: "600 ms" is outside its range',
      help: 'it is 0.0001 to 0.5 s',
    });
    expect(more).toEqual([]);
  });

  it('MC-ERR-065 refuses an input that does not fit the procedure it is passed on to, by its own name', () => {
    expect(reportedAt('deep', { inputs: { exposure: '2 s' } })).toEqual([
      'run::invalid-input /inputs/exposure',
    ]);
    expect(faultsOf('deep', { inputs: { exposure: '0.7 s' } })[0]?.message).toContain(
      'step aim/fire: argument',
    );
  });

  it('MC-ERR-065 refuses a file identifier that its telecommand cannot carry', () => {
    expect(reportedAt('erase', { inputs: { image: 70_000 } })).toEqual(['run::invalid-input /inputs/image']);
    expect(program('erase', { inputs: { image: 65_535 } }).inputs).toEqual({ image: 65_535 });
  });
});

describe('resolve/statement.S2 a file of a transfer', () => {
  const demo = demoMission();
  const faults = (file: number): readonly unknown[] => {
    const request = {
      run: 'put_file',
      library: 'ops',
      environment: 'bench',
      targets: { sat: 'sat1' },
      inputs: { file, content: STORED },
    };
    const resolved = resolveRun(demo, request, known);
    return resolved.ok ? [] : resolved.faults;
  };

  it('MC-RUN-027 MC-ERR-065 MC-ERR-004 is refused where no telecommand of the transfer can name it', () => {
    expect(faults(65_535)).toEqual([]);
    expect(faults(70_000)).toEqual([
      expect.objectContaining({
        code: 'run::invalid-input',
        path: '/inputs/file',
        message: 'step write: the upload to sat.files: "70000" is not a file identifier',
        help: 'a number from 0 to 65535',
      }),
    ]);
  });
});

it('refuses null: an input without value is left out', () => {
  const part = { inputs: { image: 7, exposure: null, patch: null } } as unknown as Part;
  expect(reportedAt('take', part)).toEqual([
    'run::invalid-input /inputs/exposure',
    'run::invalid-input /inputs/patch',
  ]);
});

it('refuses inputs that make a program too large to store', () => {
  const text = 'x'.repeat(900 * 1024);
  expect(program('typed', { inputs: { text } }).inputs['text']).toBe(text);
  expect(reportedAt('wordy', { inputs: { text } })).toEqual(['run::invalid-input /inputs']);
});

describe('links and parameters', () => {
  it('MC-ERR-066 refuses a link the target does not have', () => {
    expect(reportedAt('over_sband', { targets: { sat: 'radio1' } })).toEqual([
      'run::unknown-link /targets/sat',
    ]);
  });

  it('MC-ERR-067 refuses a component that its link does not carry', () => {
    expect(reportedAt('over_sband')).toEqual(['run::link-component /targets/sat']);
  });

  it('MC-ERR-073 MC-PAR-015 refuses a parameter that has a value in another mode, and none in this one', () => {
    const found = faultsOf('low');
    expect(found.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'run::parameter-undefined /targets/sat',
      'run::parameter-undefined /targets/sat',
    ]);
    expect(found.map(({ message }) => message)).toEqual([
      'step #1: parameter battery[1].heater_on of sat1 has no value in mode low in bench',
      'step #1: parameter battery[2].heater_on of sat1 has no value in mode low in bench',
    ]);
  });

  it('refuses the value of a parameter that is outside the range of its setter', () => {
    expect(reportedAt('configure', { targets: { sat: 'hot' } })).toEqual(['run::invalid-input /targets/sat']);
  });
});

describe('simulated faults', () => {
  const faults = (...given: NonNullable<Part['faults']>): Part => ({ ...image, faults: given });

  it('MC-ERR-068 MC-RUN-025 refuses a role that is not in targets', () => {
    expect(reportedAt('take', faults({ target: 'craft', fault: 'x' }))).toEqual([
      'run::fault-target /faults/0/target',
    ]);
  });

  it('MC-ERR-069 MC-RUN-025 refuses a step the procedure does not have, and a name of several', () => {
    const triggers = { at: { step: 'shot' }, off: { step: 'store/shoot' } };
    expect(reportedAt('take', faults({ target: 'sat', fault: 'x', ...triggers }))).toEqual([
      'run::fault-step /faults/0/at/step',
      'run::fault-step /faults/0/off/step',
    ]);
    const [several] = faultsOf('nothing', { faults: [{ target: 'sat', fault: 'x', at: { step: 'same' } }] });
    expect(several).toMatchObject({ code: 'run::fault-step', help: 'write one/same or two/same' });
    expect(
      program('nothing', { faults: [{ target: 'sat', fault: 'x', at: { step: 'only' } }] }).faults,
    ).toHaveLength(1);
  });

  it('MC-ERR-070 MC-RUN-025 refuses any fault in orbit', () => {
    const part = { environment: 'flight', faults: [{ target: 'sat', fault: 'x' }] };
    expect(reportedAt('set', part)).toEqual(['run::fault-not-simulated /faults/0']);
    expect(reportedAt('set', { ...part, targets: { sat: 'far' } })).toEqual([
      'run::fault-not-simulated /faults/0',
    ]);
  });

  it('MC-ERR-070 refuses a fault of a target behind no simulated gateway', () => {
    const part = { targets: { sat: 'radio1' }, faults: [{ target: 'sat', fault: 'x' }] };
    expect(reportedAt('nothing', part)).toEqual(['run::fault-not-simulated /faults/0']);
  });

  it('refuses a delay that is no duration', () => {
    expect(reportedAt('take', faults({ target: 'sat', fault: 'x', at: { after: '10' } }))).toEqual([
      'run::invalid-input /faults/0/at/after',
    ]);
  });
});

describe('every fault at once', () => {
  it('MC-RUN-027 F-05 reports an unknown role, a missing input, a wrong fault target and an unknown pass', () => {
    const part: Part = {
      targets: { sat: 'sat1', extra: 'sat1' },
      plan: 'pass-9',
      faults: [{ target: 'craft', fault: 'x' }],
    };
    expect(reportedAt('take', part)).toEqual([
      'run::unexpected-target /targets/extra',
      'run::missing-input /inputs/image',
      'run::unknown-pass /plan',
      'run::fault-target /faults/0/target',
    ]);
  });

  it('MC-RUN-027 reports a wrong input beside a wrong target, and of the links of the sound one', () => {
    const part: Part = {
      library: 'ops',
      targets: { sat: 'nobody', eye: 'pod1', third: 'sat1' },
      inputs: { a: 1 },
    };
    expect(reportedAt('look', part)).toEqual([
      'run::unknown-target /targets/sat',
      'run::wrong-platform /targets/eye',
      'run::unexpected-target /targets/third',
      'run::unexpected-input /inputs/a',
    ]);
  });

  it('reports what can be determined without the procedure, and reports nothing that depends on it', () => {
    const part: Part = {
      environment: 'nowhere',
      targets: { a: 'sat1', b: 'nobody' },
      plan: 'pass-9',
      inputs: { x: 1 },
      faults: [{ target: 'c', fault: 'x', at: { step: 'y' } }],
    };
    expect(reportedAt('unheard', part)).toEqual([
      'run::unknown-procedure /run',
      'run::unknown-environment /environment',
      'run::unknown-target /targets/b',
      'run::unknown-pass /plan',
      'run::fault-target /faults/0/target',
    ]);
  });

  it('reports nothing of an unknown environment', () => {
    const part: Part = {
      environment: 'nowhere',
      targets: { sat: 'far' },
      faults: [{ target: 'sat', fault: 'x' }],
    };
    expect(reportedAt('reboot', part)).toEqual(['run::unknown-environment /environment']);
    expect(reportedAt('configure', { environment: 'nowhere' })).toEqual([
      'run::unknown-environment /environment',
    ]);
  });

  it('reports no step of an input that is refused already', () => {
    expect(reportedAt('deep', { inputs: { exposure: 'long' } })).toEqual([
      'run::invalid-input /inputs/exposure',
    ]);
    expect(reportedAt('erase')).toEqual(['run::missing-input /inputs/image']);
  });

  it('takes no key of a record for a role or an input', () => {
    const request = JSON.parse(
      '{"run":"set","environment":"bench","targets":{"sat":"sat1","__proto__":"sat1"}}',
    );
    const result = resolveRun(mission, request, known);
    expect(result.ok ? [] : result.faults.map(({ code }) => code)).toEqual(['run::unexpected-target']);
    expect(reportedAt('set', { targets: { sat: 'constructor' } })).toEqual([
      'run::unknown-target /targets/sat',
    ]);
  });
});
