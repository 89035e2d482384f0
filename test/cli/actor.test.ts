/** `mcs actor` as a person uses it, against the demo mission. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InspectedEntity, InspectFound } from '../../contract/inspector.ts';
import type { TcReply } from '../../contract/telecommand.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
let cell: DemoCell;
beforeAll(async () => {
  // Without drivers a telecommand is over at once, and is shown for minutes.
  cell = await startDemoCell({ roles: ['api', 'executor', 'telemetry'], memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

async function mcs(...args: string[]) {
  const child = spawn(process.execPath, [...MCS, 'actor', ...args], {
    env: { ...process.env, MCS_API: cell.api, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout.on('data', (text) => (said.output += String(text)));
  child.stderr.on('data', (text) => (said.errors += String(text)));
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...said };
}

describe('mcs actor', () => {
  it('lists and shows a telecommand, for people and as the service says it', async () => {
    const sent = await call<TcReply>('POST', `${cell.api}/v1/tc`, {
      target: 'sat1',
      telecommand: 'obc.ping',
    });
    const name = `telecommand/sat1.${sent.body.id}`;
    await until(async () => (await mcs('list', '--target', 'sat1')).output.includes(name));
    const listed = await mcs('list', '--kind', 'telecommand', '--target', 'sat1');
    expect([listed.code, listed.errors]).toEqual([0, '']);
    expect(listed.output.split('\n')[0]).toMatch(/^KIND\/ID +STATE +REVISION +LAST +WHERE$/);
    const shown = await mcs('show', name);
    expect(shown.output).toMatch(new RegExp(`^${name}\n {2}state +\\w`));
    const found = JSON.parse((await mcs('list', '--target', 'sat1', '--json')).output) as InspectFound;
    expect(found.entities.map(({ id }) => `telecommand/${id}`)).toContain(name);
    const entity = JSON.parse((await mcs('show', name, '--json')).output) as InspectedEntity;
    expect(entity.entity.target).toBe('sat1');
  });

  it.each([
    [['show', 'telecommand/sat1.none'], 1, /inspect::unknown-entity: no process has telecommand sat1\.none/],
    [['list', '--limit', '0'], 1, /limit/],
    [['show'], 2, /mcs actor show KIND\/ID/],
    [['show', 'telecommand'], 2, /mcs actor show KIND\/ID/],
    [['show', 'a/b', '--kind', 'x'], 2, /mcs actor show KIND\/ID/],
    [['list', 'a'], 2, /mcs actor list/],
    [[], 2, /mcs actor list/],
  ] as const)('%s: exit code %i', async (args, code, error) => {
    const answer = await mcs(...args);
    expect(answer.code).toBe(code);
    expect(answer.errors).toMatch(error);
  });
});
