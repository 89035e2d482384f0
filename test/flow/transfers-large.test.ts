/**
 * What transfers cost where there are many: a year of them that are over, hundreds under way over many targets, large
 * directories. The start of a manager and of a process that serves, their processor time and memory, lists, one
 * transfer, new ones. Short in CI, where no time is judged; `npm run transfers-large` prints how long each takes.
 */

import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFleet, targetNames } from '../../benchmark/fleet.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { encodeBatch } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  type StoredTransfer,
  type Transfer,
  type TransferList,
  transferKey,
} from '../../contract/transfer.ts';
import { DAY_MS, dayOf } from '../../messaging/aged-records.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, follow } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { recordBytes, storedTransfer, wholeTransfer } from '../support/transfers.ts';
import { until } from '../support/until.ts';

const IS_LONG = process.env['TRANSFERS_OVER'] !== undefined;
const OVER = Number(process.env['TRANSFERS_OVER'] ?? 600);
/** Over for less than a day: every process that serves holds them. */
const TODAY = Number(process.env['TRANSFERS_TODAY'] ?? 30);
const OPEN = Number(process.env['TRANSFERS_OPEN'] ?? 12);
const TARGETS = Number(process.env['TRANSFER_TARGETS'] ?? 15);
const LISTED = Number(process.env['DIRECTORY_FILES'] ?? 60);
const DIRECTORIES = Math.min(TARGETS, 20);
const DAYS = Math.min(365, OVER / 20);
const TARGETS_OF_A_GATEWAY = 100;
const WINDOW = 500;
const IDLE_MS = IS_LONG ? 10_000 : 0;
const PATIENTLY = { timeoutMs: 120_000 };
const names = targetNames(TARGETS);
const TODAY_AT = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let nats: TestNats;
let bus: NatsBus;
let reports: NodeJS.Timeout;
const asked = new Set<string>();

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  const fleet = await compiledFleet(TARGETS, { targetsOfAGateway: TARGETS_OF_A_GATEWAY });
  await publishConfiguration(bus, fleet);
  reports = setInterval(report, 1_000);
  await bus.follow(streams.telecommands, 'mcs.tc.submit.>', { from: 'start' }, ({ subject: about }) => {
    asked.add(about.split('.').at(-1)!);
  });
}, 60_000);
afterAll(async () => {
  clearInterval(reports);
  await endAllMcs();
  await nats.stop();
});

/** Every gateway is up and receives 17 kbit/s. */
function report(): void {
  const rate = { frames: 0, bytes: 0, frames_per_second: 1, bytes_per_second: 2_100 };
  for (let n = 0; n < TARGETS; n += TARGETS_OF_A_GATEWAY) {
    const link = { state: 'up', since: 0 };
    const said = { gateway: `gw-${names[n]}`, kind: 'simulated', at: 0, link, downlink: rate, uplink: rate };
    bus.publish(subject.metrics, Buffer.from(JSON.stringify(said)));
  }
}

async function inBatches<Item>(items: Iterable<Item>, put: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting: Promise<unknown>[] = [];
  for (const item of items) {
    waiting.push(put(item));
    if (waiting.length >= WINDOW) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
}

/** The transfer that was over on a day, one of many. */
function over(n: number): StoredTransfer {
  const at = new Date(TODAY_AT - (2 + (n % DAYS)) * DAY_MS + 1_000 * Math.floor(n / DAYS)).toISOString();
  const name = { target: names[n % TARGETS]!, file_id: `${1 + Math.floor(n / TARGETS)}`, generation: 1 };
  return wholeTransfer('0'.repeat(64), { ...name, created_at: at, updated_at: at });
}

/** A year of them, as they are stored. */
async function fill(): Promise<void> {
  const all = Array.from({ length: OVER }, (_, n) => over(n));
  const days = new Map<string, Map<string, StoredTransfer[]>>();
  for (const transfer of all) {
    const day = dayOf(Date.parse(transfer.updated_at));
    const ofDay = days.get(day) ?? new Map<string, StoredTransfer[]>();
    days.set(day, ofDay.set(transfer.target, [...(ofDay.get(transfer.target) ?? []), transfer]));
  }
  const bucket = bus.bucket(buckets.transfersOver);
  const put = (key: string, value: unknown): Promise<unknown> =>
    bucket.put(key, gzipSync(JSON.stringify(value), { level: 1 }), 0);
  const known = [...days.keys()].map((day) => [day, { until: Date.now(), kept: Date.now() }]);
  await put('days', Object.fromEntries(known));
  await inBatches(days, ([day, ofDay]) => put(day, [...ofDay.keys()].sort()));
  const groups = [...days].flatMap(([day, ofDay]) =>
    [...ofDay].map(([target, those]) => ({ day, target, those })),
  );
  await inBatches(groups, ({ day, target, those }) => put(`${day}.${target}`, those));
  const leading = bus.bucket(buckets.transferDays);
  await inBatches(all, (each) =>
    leading.put(transferKey(each), Buffer.from(dayOf(Date.parse(each.updated_at))), 0),
  );
}

const now = (): string => new Date().toISOString();
const ofToday = (n: number): StoredTransfer =>
  wholeTransfer('0'.repeat(64), {
    target: names[n % TARGETS]!,
    file_id: `${10_000 + n}`,
    generation: 1,
    created_at: now(),
    updated_at: now(),
  });
const open = (n: number): StoredTransfer =>
  storedTransfer({
    target: names[n % TARGETS]!,
    file_id: `${60_000 + n}`,
    generation: 1,
    size: 1_000_000,
    created_at: now(),
    updated_at: now(),
  });

async function write(transfers: readonly StoredTransfer[], isOpen: boolean): Promise<void> {
  await inBatches(transfers, async (each) => {
    if (isOpen) await bus.bucket(buckets.openTransfers).put(transferKey(each), Buffer.from('{}'), 0);
    await bus.bucket(buckets.transfers).put(transferKey(each), recordBytes(each), 0);
  });
}

/** What was listed of some targets. */
async function list(): Promise<void> {
  const values = {
    platform: 'any',
    link: 'uhf',
    environment: 'bench',
    deferred: false,
    blocks: [],
    reports: [],
  };
  for (const target of names.slice(0, DIRECTORIES)) {
    const files = Array.from({ length: LISTED }, (_, n) => ({
      file: `${1 + n}`,
      size: 1_000,
      generation: 1,
      ground: Date.now(),
      onboard: Number.NaN,
    }));
    await bus.append(streams.values, subject.values(target), encodeBatch({ ...values, files } as never));
  }
}

// What it costs -------------------------------------------------------------------------------------------------------

const say = (what: string): void => {
  if (IS_LONG) process.stdout.write(`${what}\n`);
};

async function timed<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  const begun = performance.now();
  const value = await work();
  say(`${what}: ${(performance.now() - begun).toFixed(1)} ms`);
  return value;
}

const running = (instance: string, roles: string): Promise<Mcs> =>
  timed(`start of ${instance}`, () =>
    startMcs({
      args: ['serve', '--roles', roles, '--nats', nats.url, '--credentials', nats.credentialsFile],
      env: { MCS_INSTANCE: instance.replaceAll(' ', '-') },
      readyWithinMs: PATIENTLY.timeoutMs,
    }),
  );

/** Processor time of a process, ms. */
async function cpuMs({ child }: Mcs): Promise<number> {
  const text = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const [user, system] = text.slice(text.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) * 10;
}

async function memoryMb({ child }: Mcs): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** Of ten seconds in which nothing is done for it. */
async function atRest(what: string, mcs: Mcs): Promise<void> {
  if (!IS_LONG) return;
  const before = await cpuMs(mcs);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const used = ((await cpuMs(mcs)) - before) / (IDLE_MS / 1_000);
  say(`${what}: ${used.toFixed(1)} ms of processor time a second, ${(await memoryMb(mcs)).toFixed(0)} MB`);
}

it('MC-LIM-016 MC-XFER-041 the manager asks for what is under way, whatever is recorded', async () => {
  if (IS_LONG) {
    const alone = await running('manager with nothing recorded', 'transfers');
    await atRest('nothing recorded, nothing under way', alone);
    await alone.kill('SIGTERM');
  }
  await timed(`${OVER} transfers of a year written`, fill);
  await write(
    Array.from({ length: TODAY }, (_, n) => ofToday(n)),
    false,
  );
  const manager = await running('manager beside them', 'transfers');
  await atRest(`${OVER} and ${TODAY} recorded, nothing under way`, manager);
  const all = Array.from({ length: OPEN }, (_, n) => open(n));
  await write(all, true);
  const targets = new Set(all.map(({ target }) => target));
  await timed(`${OPEN} of ${targets.size} targets under way, until each was asked for`, () =>
    until(() => asked.size === targets.size, PATIENTLY),
  );
  await atRest(`${OPEN} under way`, manager);
  await manager.kill('SIGKILL');
  asked.clear();
  const next = await running('manager that takes them over', 'transfers');
  await timed('until it asks for each', () => until(() => asked.size === targets.size, PATIENTLY));
  await atRest(`${OPEN} under way, taken over`, next);
  await next.kill('SIGTERM');
}, 600_000);

it('A-44 MC-XFER-010 a process serves what is under way, one of a year, and new ones', async () => {
  await list();
  const { api, ...mcs } = await running('process that serves', 'api');
  await timed('until it lists', () =>
    until(async () => (await call('GET', `${api}/v1/transfers`)).status === 200, PATIENTLY),
  );
  await atRest('serving', { api, ...mcs });
  const read = (path: string) => call<never>('GET', `${api}${path}`);
  const { body: first } = (await timed('a page of those at hand', () => read('/v1/transfers'))) as {
    body: TransferList;
  };
  expect(first.transfers.slice(0, 1)).toMatchObject([{ direction: 'download' }]);
  await timed('the same once more', () => read('/v1/transfers'));
  const some = (await timed('those of one target', () => read('/v1/transfers?target=sat1'))) as {
    body: TransferList;
  };
  expect(new Set(some.body.transfers.map(({ target }) => target))).toEqual(new Set(['sat1']));
  await timed('a page of everything of one target', () => read('/v1/transfers?all=true&target=sat1'));
  const oldest = over(OVER - 1);
  const nameOf = ({ target, file_id }: StoredTransfer): string => `/v1/transfers/${target}/${file_id}/1`;
  const found = await timed('one of a year ago', () => read(nameOf(oldest)));
  expect(found).toMatchObject({ status: 200, body: { updated_at: oldest.updated_at } });
  const unknown = await timed('one that there is not', () => read('/v1/transfers/sat1/999999/1'));
  expect(unknown.status).toBe(404);
  const directory = (await timed(`a directory of ${LISTED}`, () => read('/v1/targets/sat1/files'))) as {
    body: { files: unknown[] };
  };
  expect(directory.body.files).toHaveLength(LISTED);
  await creates(api);
  await watches(api);
  say(`serving, at the end: ${(await memoryMb({ api, ...mcs })).toFixed(0)} MB`);
  await mcs.kill('SIGTERM');
}, 600_000);

async function creates(api: string): Promise<void> {
  const ask = (target: string, file_id: string) =>
    call<Transfer>('POST', `${api}/v1/transfers`, { target, file_id });
  const known = over(0);
  const again = await timed('a transfer asked for once more', () => ask(known.target, known.file_id));
  expect(again).toMatchObject({ status: 201, body: { state: 'VERIFIED', updated_at: known.updated_at } });
  // Those of a year have the first identifiers.
  const fresh = Array.from({ length: 40 }, (_, n) => `${LISTED - n}`).filter(
    (id) => Number(id) > OVER / TARGETS,
  );
  const took: number[] = [];
  for (const id of fresh.slice(0, 10)) {
    const begun = performance.now();
    expect(await ask('sat1', id)).toMatchObject({ status: 201, body: { state: 'REQUESTED' } });
    took.push(performance.now() - begun);
  }
  took.sort((one, other) => one - other);
  say(`new transfers, one behind the other: ${took.map((ms) => ms.toFixed(1)).join(' ')} ms`);
  const answers = await timed(`${fresh.length} more of another target at once`, () =>
    Promise.all(fresh.map((id) => ask('sat2', id))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
}

async function watches(api: string): Promise<void> {
  const watching = follow<Transfer>(`${api}/v1/transfers/watch`);
  await timed('a watcher, until it has every one at hand', () =>
    until(() => watching.messages.length >= OPEN + TODAY, PATIENTLY),
  );
  watching.close();
}
