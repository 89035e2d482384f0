/** `mcs sim` as a person uses it, against the demo mission. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api', 'gateways'], memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

const MCS = await mcsProgram();

async function mcs(...args: string[]) {
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
  const [code] = await once(child, 'close');
  return { ...said, code: code as number | null };
}

const ALL_OFF = `cell_drain        off
tm_silence        off
no_reports        off
reject_all        off
slow_completion   off
bad_checksum      off
short_files       off
wrong_generation  off
no_chunks         off
uplink_dead       off
`;

describe('mcs sim', () => {
  it('MC-SIM-006 lists the faults of a gateway, switches one and shows what is on', async () => {
    expect(await mcs('sim', 'faults', 'sim-1')).toEqual({ output: ALL_OFF, errors: '', code: 0 });
    const switched = await mcs('sim', 'fault', 'sim-1', 'reject_all', 'on');
    expect(switched).toEqual({
      output: ALL_OFF.replace('reject_all        off', 'reject_all        ON'),
      errors: '',
      code: 0,
    });
    expect((await mcs('sim', 'faults', 'sim-1')).output).toBe(switched.output);
    expect((await mcs('sim', 'fault', 'sim-1', 'reject_all', 'off')).output).toBe(ALL_OFF);
  });

  it('shows the files on board its spacecraft, with their hashes', async () => {
    const { output, errors, code } = await mcs('sim', 'files', 'sim-1');
    expect({ errors, code }).toEqual({ errors: '', code: 0 });
    const [heading, ...rows] = output.trimEnd().split('\n');
    expect(heading?.trim().split(/ +/)).toEqual(['file', 'type', 'generation', 'bytes', 'crc32', 'sha256']);
    expect(rows.map((row) => row.trim().split(/ +/).slice(0, 4))).toEqual([
      ['1', '1', '1', '12600'],
      ['2', '2', '1', '2048'],
      ['3', '2', '1', '200000'],
      ['4', '2', '1', '4000000'],
      ['5', '3', '1', '0'],
    ]);
    expect(rows[4]).toMatch(/ 00000000 {2}e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855$/);
    expect(rows.every((row) => / [0-9a-f]{8} {2}[0-9a-f]{64}$/.test(row))).toBe(true);
  });

  it('prints what the service refuses as it says it, and exits 1', async () => {
    const unknown = await mcs('sim', 'fault', 'sim-1', 'meteor', 'on');
    expect(unknown).toMatchObject({ output: '', code: 1 });
    expect(unknown.errors).toMatch(/^sim::refused: .*"meteor".*cell_drain/);
    const recording = await mcs('sim', 'faults', 'replay-1');
    expect(recording).toMatchObject({ output: '', code: 1 });
    expect(recording.errors).toMatch(/^sim::not-simulated: .*\(Simulated gateways: sim-1, sim-2\.\)$/m);
  });

  it.each([
    [['faults']],
    [['faults', 'sim-1', 'more']],
    [['files']],
    [['files', 'sim-1', 'more']],
    [['fault', 'sim-1', 'reject_all']],
    [['fault', 'sim-1', 'reject_all', 'maybe']],
    [['fault', 'sim-1', 'reject_all', 'on', 'more']],
    [['break', 'sim-1']],
    [[]],
  ])('shows how it is used and exits 2 on %j', async (words) => {
    const { output, errors, code } = await mcs('sim', ...words);
    expect({ output, code }).toEqual({ output: '', code: 2 });
    const [verb = ''] = words;
    const called = ['faults', 'files', 'fault'].includes(verb)
      ? `mcs sim ${verb} GATEWAY`
      : 'mcs sim fault GATEWAY FAULT on|off';
    expect(errors).toContain(called);
    expect(errors).toMatch(/\nmcs: .*\n$/);
  });

  it('says when nobody answers, and what to do', async () => {
    const { errors, code } = await mcs('sim', 'faults', 'sim-1', '--api', 'http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(errors).toContain('http://127.0.0.1:1 does not answer');
  });
});
