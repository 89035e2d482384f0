/**
 * A cell whose only archive is away when a front end begins, with real processes: what an identifier of before the
 * streams was used for is not known until the archive is back, or somebody says that it is gone for good.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileFolder } from '../../cli/mission-folder.ts';
import type { ConnectorsView } from '../../contract/connector.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, type ErrorBody } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const SUPERVISOR = { 'x-mcs-user': 'ada', 'x-mcs-role': 'supervisor' };
const PATIENTLY = { timeoutMs: 60_000 };
const YESTERDAY = Date.now() - 86_400_000;

let folder: string;
let nats: TestNats;
let frontEnd: Mcs;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-archive-away-'));
  nats = await startNats();
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  const bus = await nats.connected();
  await publishConfiguration(bus, compiled.value);
  await bus.close();
  frontEnd = await startFrontEnd();
}, 90_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (roles: string, place: readonly string[]): Promise<Mcs> =>
  startMcs({
    args: ['serve', '--roles', roles, '--nats', nats.url, '--credentials', nats.credentialsFile, ...place],
    env: STEADY,
  });
const startFrontEnd = (): Promise<Mcs> => start('api', ['--port', '0']);
const startArchive = (): Promise<Mcs> => start('archive', ['--state', folder]);

async function submit(id: string): Promise<{ status: number; body: { duplicate?: boolean } & ErrorBody }> {
  const order = { target: 'sat1', telecommand: 'obc.ping', link: 'uhf', id };
  return await call<{ duplicate?: boolean } & ErrorBody>('POST', `${frontEnd.api}/v1/tc`, order);
}

async function archiveConnector(): Promise<string | undefined> {
  const { status, body } = await call<ConnectorsView>('GET', `${frontEnd.api}/v1/connectors`);
  return status === 200 ? body.connectors.find(({ name }) => name.startsWith('archive-'))?.name : undefined;
}

it('O4 past-doubt.D2 an old identifier is refused while the only archive is away, also by a front end that began since', async () => {
  const archive = await startArchive();
  await until(async () => (await archiveConnector()) !== undefined, {
    ...PATIENTLY,
    what: 'the archive to register',
  });
  const name = await archiveConnector();
  // The archive has all that there ever was on this bus, and the identifier is not in it.
  await until(async () => (await submit(ulid(YESTERDAY))).status === 202, {
    ...PATIENTLY,
    what: 'an old identifier that nobody used to be taken',
  });
  await archive.kill('SIGKILL');
  await frontEnd.kill();
  frontEnd = await startFrontEnd();
  const id = ulid(YESTERDAY);
  await until(
    async () => (await submit(id)).body.errors?.[0]?.message.includes(`${name} is not running`) === true,
    {
      ...PATIENTLY,
      what: 'the archive to be missed',
    },
  );
  const refused = await submit(id);
  expect([refused.status, refused.body.errors[0]?.code]).toEqual([503, 'api::unavailable']);
  expect(refused.body.errors[0]?.help).toContain(`mcs connector remove ${name}`);
  // One that is drawn now needs no archive.
  expect((await submit(ulid())).status).toBe(202);
  const back = await startArchive();
  await until(async () => (await submit(id)).status === 202, {
    ...PATIENTLY,
    what: 'the archive to be asked',
  });
  // It ends in order; removed, nobody waits for it, also where it had been known.
  await back.kill();
  const other = ulid(YESTERDAY);
  await until(async () => (await submit(other)).status === 503, { ...PATIENTLY, what: 'the refusal' });
  const connector = `${frontEnd.api}/v1/connectors/${name}`;
  await until(async () => (await call('DELETE', connector, undefined, SUPERVISOR)).status < 300, {
    ...PATIENTLY,
    what: 'the connector to be removed',
  });
  await until(async () => (await submit(other)).status === 202, {
    ...PATIENTLY,
    what: 'nobody to be missed',
  });
});
