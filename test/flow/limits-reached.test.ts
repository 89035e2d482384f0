/**
 * A process at limits that are not the storage of its bus: few files that it may open, a program above the largest
 * message, a bucket that takes nothing new. It refuses by name, answers its probes, and goes on when there is room.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { buckets } from '../../contract/bus/buckets.ts';
import { WEBSOCKETS_SHARE } from '../../contract/limits/connection.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { call } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { type LimitedNats, startLimitedNats } from '../support/limited-nats.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

/** Of a busy machine. */
const PATIENTLY = { timeoutMs: 60_000 };
const FILES = 256;
/** More than a part of a configuration, and less than the program of `talk`. */
const MAX_PAYLOAD = 600 * 1024;
const ADA = { 'x-mcs-user': 'ada' };

let folder: string;
let nats: LimitedNats;
let mcs: Mcs;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-limits-'));
  await cp(DEMO, folder, { recursive: true });
  const ops = join(folder, 'ops.yaml');
  await writeFile(ops, `${await readFile(ops, 'utf8')}${talk()}`);
  nats = await startLimitedNats(undefined, { maxPayload: String(MAX_PAYLOAD) });
  const within = ['bash', '-c', `ulimit -n ${FILES}; exec "$@"`, 'bash'];
  mcs = await startMcs({ args: ['serve', '--nats', nats.url, '--mission', folder], env: STEADY, within });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A procedure that says much, which no compression makes small. */
function talk(): string {
  const random = seededRandom(1);
  const word = (): string => Math.floor(random.next() * 2 ** 32).toString(36);
  const steps = Array.from({ length: 80 }, () => {
    const text = Array.from({ length: 2_600 }, word).join('').slice(0, 15_000);
    return `      - log: "${text}"\n`;
  });
  return `
  talk:
    description: Says much
    roles: { sat: cubesat-6u }
    steps:
${steps.join('')}`;
}

interface Refused {
  readonly errors?: readonly { readonly code: string; readonly message: string; readonly help: string }[];
}

const send = () =>
  call<Refused>('POST', `${mcs.api}/v1/tc`, { target: 'sat1', telecommand: 'obc.ping' }, ADA);

it('refuses a program above the largest message of the bus with 413 and both sizes', async () => {
  const talking = { run: 'talk', environment: 'rehearsal', targets: { sat: 'sat1' } };
  const { status, body } = await call<Refused>('POST', `${mcs.api}/v1/runs`, talking, ADA);
  expect([status, body.errors?.map(({ code }) => code)]).toEqual([413, ['api::too-large']]);
  expect(body.errors![0]!.message).toMatch(new RegExp(`takes \\d+ bytes, and the bus takes ${MAX_PAYLOAD}`));
  expect(body.errors![0]!.help).toContain('max_payload');
});

it('answers 503 with the name of a bucket that takes nothing new, and goes on when it does', async () => {
  const stream = `KV_${buckets.modes.name}`;
  const admin = await connect({ servers: new URL(nats.url).host, user: 'mcs', pass: 'mcs' });
  const manager = await admin.jetstreamManager();
  const { config } = (await manager.streams.info(stream)) as { config: object };
  const set = (mode: string) => call<Refused>('PUT', `${mcs.api}/v1/targets/sat1/mode`, { mode }, ADA);
  await manager.streams.update(stream, { ...config, max_bytes: 1 } as never);
  const full = await set('safe');
  expect([full.status, full.body.errors?.map(({ code }) => code)]).toEqual([503, ['api::unavailable']]);
  expect(full.body.errors![0]!.message).toContain(stream);
  expect(full.body.errors![0]!.help).toContain('Raise the size of this stream');
  expect((await send()).status, 'others are written').toBe(202);
  await manager.streams.update(stream, config);
  expect((await set('safe')).status).toBe(200);
  expect((await set('nominal')).status).toBe(200);
  await admin.close();
});

it(`with ${FILES} files, watchers leave room for requests: the rest is refused, said once, and probes are answered`, async () => {
  const sockets: WebSocket[] = [];
  const watch = (): Promise<number> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${mcs.api.replace(/^http/, 'ws')}/v1/targets/sat1/values/watch`);
      sockets.push(socket);
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
      socket.on('error', () => resolve(0));
    });
  const answers: number[] = [];
  for (let n = 0; n < FILES; n += 1) answers.push(await watch());
  const open = answers.filter((status) => status === 101).length;
  expect(open).toBe((FILES / 2) * WEBSOCKETS_SHARE);
  expect(new Set(answers)).toEqual(new Set([101, 503]));
  const said = (): number => mcs.errors().split('limit of WebSockets of everybody reached').length - 1;
  await until(() => said() > 0, { ...PATIENTLY, what: 'the limit in the log' });
  expect(said()).toBe(1);

  for (const probe of ['healthz', 'readyz', 'metrics'])
    expect((await fetch(`${mcs.api}/${probe}`)).status, probe).toBe(200);
  expect((await send()).status).toBe(202);

  for (const socket of sockets) socket.terminate();
  await until(async () => (await watch()) === 101, PATIENTLY);
  sockets.at(-1)!.terminate();
  expect(mcs.child.exitCode).toBe(null);
}, 240_000);
