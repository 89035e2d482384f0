/**
 * A bench unit through its life, with real processes: a service, its bus in operator mode, and a unit that knows
 * nothing but its own keys. The wire documents of `docs/units.md` are what it speaks.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UnitList, UnitView } from '../../contract/unit.ts';
import { signedImage } from '../../supervision/unit/simulate.ts';
import { call } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { mcsProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const SERIAL = 'bench-07';
/** Silent for three of them it is dead: longer than a busy machine keeps it from the processor. */
const PERIOD_MS = 1_500;

let folder: string;
let service: Mcs;
let unit: ChildProcess;
let printed = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-unit-'));
  service = await startMcs({
    args: [
      'serve',
      '--mission',
      'missions/demo',
      '--state',
      join(folder, 'bus'),
      '--roles',
      'api,gateways,reconciler',
    ],
  });
}, 90_000);
afterAll(async () => {
  unit?.kill('SIGKILL');
  await endAllMcs();
  await rm(folder, { recursive: true, force: true });
});

const state = (): string => join(folder, 'unit');

async function startUnit(): Promise<void> {
  const program = await mcsProgram();
  const timing = ['--period', String(PERIOD_MS), '--reboot', '500', '--install', '4000'];
  const what = ['--hardware', 'C2', '--gateway', 'sim-1', '--gateway', 'uhf-07', '--state', state()];
  const where = ['--nats', service.nats, '--api', service.api, '--user', 'ada'];
  unit = spawn(process.execPath, [...program, 'unit', 'simulate', SERIAL, ...timing, ...what, ...where], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  unit.stdout!.setEncoding('utf8').on('data', (text: string) => (printed += text));
  unit.stderr!.setEncoding('utf8').on('data', (text: string) => (printed += text));
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const mcs = (...args: string[]): Promise<Ended> => run([...args, '--api', service.api, '--user', 'ada']);

async function run(args: readonly string[]): Promise<Ended> {
  const program = await mcsProgram();
  const child = spawn(process.execPath, [...program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...said };
}

async function found(): Promise<UnitView | undefined> {
  const { body } = await call<UnitList>('GET', `${service.api}/v1/units`);
  return body.units?.find(({ serial }) => serial === SERIAL);
}

const seen = (what: string, is: (now: UnitView) => boolean): Promise<UnitView> =>
  until(
    async () => {
      const now = await found();
      return now !== undefined && is(now) && now;
    },
    { what, timeoutMs: 60_000 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${printed}`);
  });

async function image(version: string, hardware: string, key: string): Promise<string> {
  const path = join(folder, `${version}.img`);
  await writeFile(path, await signedImage({ hardware: [hardware], version }, Buffer.from('made up'), key));
  return pathToFileURL(path).href;
}

/** What the unit says to an update, asked for by the API. */
async function refusal(url: string, version: string, role = 'supervisor'): Promise<string> {
  const headers = { 'x-mcs-user': 'ada', 'x-mcs-role': role };
  const path = `${service.api}/v1/units/${SERIAL}/update`;
  const { body } = await call<Refused>('POST', path, { image: url, version }, headers);
  return body.errors.map(({ code, message }) => `${code}: ${message}`).join();
}

interface Refused {
  readonly errors: readonly { readonly code: string; readonly message: string }[];
}

const update = (url: string, version: string): Promise<Ended> =>
  mcs('unit', 'update', SERIAL, '--image', url, '--version', version, '--role', 'supervisor');

it('MC-UNIT-001 MC-UNIT-005 MC-UNIT-006 MC-UNIT-018 MC-UNIT-022 a unit enrols, registers, and stands in the fleet with its gateways and links', async () => {
  await startUnit();
  const now = await seen('the unit in the fleet', ({ alive, health }) => alive && health.state === 'ok');
  expect(now).toMatchObject({
    hardware_revision: 'C2',
    software: { name: 'simulated-unit', version: '1.0.0' },
    heartbeat_period_ms: PERIOD_MS,
  });
  const bound = await seen('links of its gateway', ({ gateways }) => gateways[0]!.links.length > 0);
  expect(bound.gateways).toMatchObject([
    { name: 'sim-1', registered: true, health: { state: 'up' }, links: [{ target: 'sat1', link: 'uhf' }] },
    { name: 'uhf-07', registered: false, health: { state: 'absent' } },
  ]);
  // Its seed is its own, readable by nobody else.
  expect((await stat(join(state(), 'unit.json'))).mode & 0o077).toBe(0);
  const listed = await mcs('unit', 'list');
  expect(listed.out).toMatch(/bench-07 +yes +ok +simulated-unit 1\.0\.0/);
}, 180_000);

it('MC-UNIT-008 answers a self-test with its report, and with a failed one where a check fails', async () => {
  const fine = await mcs('unit', 'selftest', SERIAL);
  expect([fine.code, fine.out]).toEqual([0, expect.stringContaining('the self-test passed')]);
  unit.stdin!.write('fault selftest-fails on\nfault degraded on\n');
  await seen('its health', ({ health }) => health.state === 'degraded' && health.reason !== undefined);
  const failed = await mcs('unit', 'selftest', SERIAL);
  expect([failed.code, failed.out]).toEqual([1, expect.stringMatching(/FAILED +radio-loopback/)]);
  unit.stdin!.write('fault selftest-fails off\nfault degraded off\n');
}, 180_000);

it('MC-UNIT-013 MC-UNIT-009 refuses an update of another hardware, of another version, and with a bad signature', async () => {
  const own = join(state(), 'image-key.pem');
  const other = await image('1.1.0', 'D1', own);
  expect(await refusal(other, '1.1.0')).toContain('unit::refused: image of another hardware: it is for D1');
  const strange = await image('1.1.0', 'C2', join(folder, 'stranger.pem'));
  expect(await refusal(strange, '1.1.0')).toBe('unit::refused: bad signature');
  const sound = await image('1.1.0', 'C2', own);
  expect(await refusal(sound, '1.2.0')).toContain('unit::refused: the image is version 1.1.0');
  const damaged = await readFile(fileURLToPath(sound));
  damaged[damaged.length - 1]! ^= 1;
  await writeFile(join(folder, 'damaged.img'), damaged);
  expect(await refusal(pathToFileURL(join(folder, 'damaged.img')).href, '1.1.0')).toContain(
    'content is damaged',
  );
  expect(await refusal('file:///nowhere.img', '1.1.0')).toContain('the image cannot be fetched');
  expect(await refusal('gopher://x', '1.1.0')).toContain('this unit fetches from file:, http: and https:');
  expect(await refusal(sound, '1.1.0', 'operator')).toContain('unit::not-supervisor');
  const same = await seen('it goes on', ({ alive }) => alive);
  expect(same).toMatchObject({ software: { version: '1.0.0' } });
}, 180_000);

it('MC-UNIT-009 takes an update that fits: shown as it goes, down, and back with the version', async () => {
  const key = join(state(), 'image-key.pem');
  const path = join(folder, 'next.img');
  const made = await run(['unit', 'image', path, '--key', key, '--hardware', 'C2,D1', '--version', '1.1.0']);
  expect(made).toMatchObject({ code: 0, err: '' });
  const done = await update(pathToFileURL(path).href, '1.1.0');
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('"version":"1.1.0"')]);
  // Which of its phases is seen is decided by when the fleet is looked at.
  expect(done.err).toMatch(/update: (fetching|installing|rebooting)/);
  expect(done.err).toContain('back with version 1.1.0');
  const updated = await seen('it is back', ({ alive }) => alive);
  expect(updated).toMatchObject({ software: { version: '1.1.0' } });
}, 180_000);

it('MC-UNIT-010 MC-UNIT-012 MC-UNIT-021 reboots: away for a while, 404 meanwhile, and back by itself', async () => {
  const before = await found();
  const done = await mcs('unit', 'reboot', SERIAL, '--role', 'supervisor');
  expect([done.code, done.err]).toEqual([0, expect.stringContaining('back with version 1.1.0')]);
  const after = await found();
  expect(after?.boot).not.toBe(before?.boot);
  unit.stdin!.write('fault stays-down on\n');
  const gone = await mcs('unit', 'reboot', SERIAL, '--role', 'supervisor', '--wait', '2');
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('was not back within 2 s')]);
  const refused = await mcs('unit', 'selftest', SERIAL);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('unit::unknown')]);
  await seen('it is dead', ({ alive }) => !alive);
}, 180_000);

it('MC-UNIT-021 dies by kill -9, is seen dead, and comes back with what it kept', async () => {
  unit.kill('SIGKILL');
  await once(unit, 'exit');
  await startUnit();
  const back = await seen('it is back', ({ alive, health }) => alive && health.state === 'ok');
  expect(back.software.version).toBe('1.1.0');
  unit.kill('SIGKILL');
  const dead = await seen('it is dead', ({ alive }) => !alive);
  expect(Date.now() - Date.parse(dead.last_heard)).toBeGreaterThan(0);
}, 180_000);
