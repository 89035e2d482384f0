/** Echoes of sent frames, on a mission whose simulated gateway receives them. Mission Control Service, section 2.1. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-mission-'));
  await cp(DEMO, folder, { recursive: true });
  const path = join(folder, 'topology.yaml');
  const topology = await readFile(path, 'utf8');
  const echoing = topology.replace('echo: false', 'echo: true');
  expect(echoing).not.toBe(topology);
  await writeFile(path, echoing);
  cell = await startDemoCell({ folder });
});
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send(telecommand: string): Promise<string> {
  const { body } = await call<TcReply>('POST', `${cell.api}/v1/tc`, { target: 'sat1', telecommand });
  return body.id;
}

async function history(id: string): Promise<TcEvent[]> {
  const followed = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);
  return followed;
}

/** With its echo, which may come behind the end. */
const whole = (id: string): Promise<TcEvent[]> =>
  until(async () => {
    const events = await history(id);
    return events.some((event) => event.state === 'ECHO') && events;
  });

const chain = (events: readonly TcEvent[]): string[] =>
  events.map((event) => event.state).filter((state) => state !== 'ECHO');

describe('ECHO', () => {
  it('MC-TC-041 is recorded once with its conformity and leaves the chain as it is', async () => {
    const events = await whole(await send('obc.ping'));
    expect(chain(events)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    expect(events.filter((event) => event.state === 'ECHO').map((event) => event.conforming)).toEqual([true]);
  });

  it('MC-TC-041 says when what was received is not what was sent', async () => {
    await cell.fault('bad_echo', true);
    const events = await whole(await send('obc.ping'));
    await cell.fault('bad_echo', false);
    expect(chain(events)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    expect(events.find((event) => event.state === 'ECHO')?.conforming).toBe(false);
  });

  it('MC-TC-041 is recorded once where nothing verifies, before or after the end', async () => {
    const events = await whole(await send('camera.ping'));
    expect(chain(events)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
    expect(events.filter((event) => event.state === 'ECHO')).toHaveLength(1);
  });
});
