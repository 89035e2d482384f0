/** `mcs mode`, `mcs parameters` and `mcs values watch` as a person uses them, against the demo mission. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modeLine } from '../../cli/mode.ts';
import { parameterLines } from '../../cli/parameters.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
/** A command of its own process starts slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 45_000 };
const since = '2026-01-02T03:04:05.678Z';
let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api', 'drivers', 'gateways', 'telemetry'], memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

function start(...args: string[]) {
  const child = spawn(process.execPath, [...MCS, ...args], {
    env: { ...process.env, MCS_API: cell.api, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout!.on('data', (text) => {
    said.output += String(text);
  });
  child.stderr!.on('data', (text) => {
    said.errors += String(text);
  });
  return { child, said, code: once(child, 'close').then(([code]) => code as number | null) };
}

async function mcs(...args: string[]) {
  const { said, code } = start(...args);
  return { code: await code, ...said };
}

describe('mcs mode', () => {
  it('says the mode, how it came to be, and the others', async () => {
    expect(await mcs('mode', 'get', 'sat1')).toEqual({
      code: 0,
      errors: '',
      output: 'sat1  safe by default, never set; modes: safe (default), nominal\n',
    });
    const set = await mcs('mode', 'set', 'sat1', 'nominal');
    expect(set.output).toMatch(/^sat1 {2}nominal since 20\S+Z by ada; modes: safe \(default\), nominal\n$/);
    expect((await mcs('mode', 'get', 'sat1')).output).toBe(set.output);
  });

  it.each([
    [['mode', 'set', 'sat1', 'turbo'], 1, /mode::unknown: .*"turbo".*safe, nominal/],
    [['mode', 'get', 'sat9'], 1, /api::unknown-target: .*sat9/],
    [['mode', 'set', 'sat1', 'safe', '--user', ''], 1, /api::anonymous/],
    [['mode', 'set', 'sat1'], 2, /mcs mode set TARGET MODE/],
    [['mode', 'get', 'sat1', 'safe'], 2, /mcs mode get TARGET/],
    [['parameters'], 2, /mcs parameters TARGET/],
    [['parameters', 'sat1', '--environment', 'in_orbit'], 1, /api::unknown-environment: .*in_orbit/],
    [['values', 'watch'], 2, /mcs values watch TARGET/],
    [['values', 'watch', 'sat9'], 1, /api::unknown-target: .*sat9/],
    [
      ['values', 'watch', 'sat1', 'obc.temprature'],
      1,
      /no measure "obc\.temprature": did you mean "obc\.temperature"/,
    ],
    [['values', 'watch', 'sat1', 'obc.mode', 'batery[1].voltage'], 1, /no measure "batery\[1\]\.voltage"/],
    [['values', 'watch', 'sat1', 'battery[9].voltage'], 1, /no measure "battery\[9\]\.voltage"/],
    [['values', 'watch', 'sat1', 'a.b.c'], 1, /api::invalid-measure: .*a\.b\.c/],
  ])('%j ends with %i and a reason', { timeout: 60_000 }, async (args, code, reason) => {
    const ended = await mcs(...args);
    expect([ended.code, ended.output]).toEqual([code, '']);
    expect(ended.errors).toMatch(reason);
  });

  it('names the run that set it', () => {
    const view = { target: 'sat1', default: 'a', modes: ['a', 'b'], mode: 'b', since, by: 'ada', run: '01J' };
    expect(modeLine(view)).toBe(`sat1  b since ${since} by ada (run 01J); modes: a (default), b`);
    expect(modeLine({ target: 'sat1', mode: null, modes: [], since: null })).toBe('sat1  has no modes');
  });
});

describe('mcs parameters', () => {
  it('shows what they are, what is read back, and the other modes', async () => {
    const { output, code } = await until(async () => {
      const shown = await mcs('parameters', 'sat1', '--environment', 'bench');
      return !shown.output.includes('never received') && shown;
    }, PATIENTLY);
    expect(code).toBe(0);
    expect(output).toMatch(/^sat1 {2}mode nominal, in environment bench\nparameter /);
    expect(output).toMatch(/\nobc\.watchdog +600 s +obc\.watchdog 60 +DIFFERS +safe 60, nominal 600\n/);
    expect(output).toMatch(
      /\nbattery\[1\]\.heater_on +0 degC +battery\[1\]\.heater_on 0 +matches +safe 5, nominal 0\n/,
    );
  });

  it('says where there is nothing to compare', () => {
    const readback = { measure: 'obc.x', matches: null };
    const shown = { name: 'obc.x', component: 'obc', parameter: 'x', values: {}, readback };
    expect(parameterLines({ target: 'sat1', mode: null, environment: null, parameters: [shown] })).toEqual([
      'sat1  has no modes, without overrides',
      'parameter  value  readback                by mode',
      'obc.x      -      obc.x never received',
    ]);
  });
});

describe('mcs values watch', { timeout: 120_000 }, () => {
  it('in a pipe writes a line for each value that is asked for, and ends with Ctrl-C', async () => {
    const { child, said, code } = start('values', 'watch', 'sat1', 'obc.mode', 'battery[1].voltage');
    await until(() => /Z {2}battery\[1\]\.voltage {2}[78][.\d]* V\n/.test(said.output), PATIENTLY);
    await until(() => /Z {2}obc\.mode {2}SAFE\n/.test(said.output), PATIENTLY);
    expect(said.output).not.toContain('battery[2]');
    expect(said.output).not.toContain('\u001b');
    child.kill('SIGINT');
    expect([await code, said.errors]).toEqual([0, '']);
  });
});
