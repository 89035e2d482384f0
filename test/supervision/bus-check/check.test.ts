/** A real bus on which everything that `mcs bus check` looks for is wrong, beside a sound one of each. */

import { createHash } from 'node:crypto';
import { connect, jwtAuthenticator } from 'nats';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shardOf } from '../../../actors/run/open-runs.ts';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { bus as busCommand } from '../../../cli/bus.ts';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { partObject } from '../../../contract/transfer.ts';
import { keptBytes } from '../../../messaging/kept-envelopes.ts';
import { type BusCheck, checkBus } from '../../../supervision/bus-check/check.ts';
import { CHECKS } from '../../../supervision/bus-check/finding.ts';
import { realClock } from '../../../supervision/clock.ts';
import { encodeCheckpoint } from '../../../telemetry/checkpoint.ts';
import type { ValueColumns } from '../../../telemetry/current-values.ts';
import { startNats, type TestNats } from '../../support/nats.ts';

const OVER = '01J5ZK3M8QW7V9XH2C4T6R0001';
const RUNNING = '01J5ZK3M8QW7V9XH2C4T6R0002';
const UNKNOWN = '01J5ZK3M8QW7V9XH2C4T6R0003';
const LISTED = '01J5ZK3M8QW7V9XH2C4T6R0004';
const OVER_TOO = '01J5ZK3M8QW7V9XH2C4T6R0006';
const SENT = '01J5ZK3M8QW7V9XH2C4T6R0005';
const IR = 'a'.repeat(64);
const CONTENT = Buffer.alloc(200_000);
const UPLOAD = createHash('sha256').update(CONTENT).digest('hex');
const AT = '2026-03-01T12:00:00.000Z';
const SOON = { ...realClock, setTimeout: (due: () => void) => realClock.setTimeout(due, 0) };

let nats: TestNats;
let bus: NatsBus;
let looking: NatsBus;
const json = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));

const put = (bucket: keyof typeof buckets, key: string, body: unknown): Promise<number> =>
  bus.bucket(buckets[bucket]).overwrite(key, body instanceof Uint8Array ? body : json(body));

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

const check = (bringUp = async (): Promise<boolean> => true): Promise<BusCheck> =>
  checkBus({ bus: looking, clock: SOON, bringUp });

const foundIn = ({ findings }: BusCheck): [string, string][] =>
  findings.map((finding) => [finding.check, finding.where]);

async function manage(
  change: (
    manager: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['jetstreamManager']>>,
  ) => Promise<unknown>,
): Promise<void> {
  const { jwt, seed } = nats.credentials;
  const authenticator = jwtAuthenticator(jwt, Buffer.from(seed));
  const connection = await connect({ servers: nats.url, authenticator });
  await change(await connection.jetstreamManager());
  await connection.close();
}

const envelope = (kind: string, id: string, position: number): Uint8Array =>
  keptBytes({
    kind,
    id,
    version: 1,
    epoch: 1,
    revision: 1,
    at: 0,
    snapshot: {},
    timers: [],
    effects: [],
    covers: { position, mark: '' },
  } as never);

const transfer = (file: string, state: string, received: [number, number][]) => ({
  target: 'sat1',
  file_id: file,
  generation: 1,
  direction: 'download',
  state,
  size: 100,
  priority: 0,
  created_at: AT,
  updated_at: AT,
  received,
  actor: { version: 1, changes: [] },
});

const alarm = (seq: number) => ({
  record: { previous: 'NORMAL', state: 'ACTIVE_UNACK', seq, changed_at: AT, cause: 'condition' },
  epoch: 1,
  evaluated: { position: 1, at: 1 },
});

async function alarmEvent(name: string): Promise<void> {
  const of = { target: 'sat1', component: 'c', alarm: name };
  const event = { ...of, previous: 'NORMAL', state: 'ACTIVE_UNACK', seq: 2, at: AT, cause: 'condition' };
  await bus.append(streams.alarms, subject.alarmEvent(of), json(event));
}

const schedule = (id: string, ir: string) => ({
  id,
  state: 'scheduled',
  pass: 'p',
  start: 'aos',
  run: OVER,
  target: 'sat1',
  targets: {},
  environment: 'bench',
  ir,
  content: 'c',
  config: 'c',
  max_duration: '60 s',
  fire_at: AT,
  created_at: AT,
  updated_at: AT,
  reasons: [],
  changes: [],
});

beforeAll(async () => {
  nats = await startNats();
  [bus, looking] = await Promise.all([nats.connected(), nats.connected({ looksOnly: true })]);
  await bus.ensureAssets({ deadlineMs: 20_000 });
  const log = (run: string, event: object): Promise<unknown> =>
    bus.append(streams.runs, subject.runEvents(run), json({ run, seq: 1, at: AT, ...event }));
  for (const run of [OVER, OVER_TOO]) await log(run, { event: 'finished', ok: true });
  await log(RUNNING, { event: 'procedure_started', path: 'p' });
  await bus.append(
    streams.telecommandEvents,
    subject.tcEvent('sat1', SENT),
    json({ tc: SENT, state: 'SENT', at: AT }),
  );
  await put('programs', IR, 'program');
  await put('openRuns', `${shardOf(RUNNING)}.${RUNNING}`, { run: RUNNING, ir: IR, submittedAt: 1 });
  await put('members', 'member.alive', { instance: 'alive', roles: [] });
  await put('members', 'partition.lane.sat1', { owner: 'alive', after: 1 });
  await put('members', 'checkpoint.lane.sat1', { epoch: 1, submission: 1 });
  await put('leases', 'sat1', { holders: [{ run: RUNNING, mode: 'exclusive' }] });
  await put('runs', RUNNING, { run: RUNNING, started_at: AT });
  await put('runs', 'submitted', { run: 'submitted' });
  await put('actors', `run.${RUNNING}`, envelope('run', RUNNING, 2));
  await put('alarms', 'sat1.c._.good', alarm(2));
  await alarmEvent('good');
  await put('transfers', 'sat1.1.1', transfer('1', 'PARTIAL', [[0, 10]]));
  await put('openTransfers', 'sat1.1.1', {});
  const name = { target: 'sat1', file_id: '1', generation: 1 };
  await bus.objects(objectStores.files).replace(partObject(name, 0), once(Buffer.alloc(10)));
  await put('schedules', 'good', schedule('good', IR));
  await put('modes', 'sat1', { mode: 'safe', since: AT });
  await put('modes', 'sat2', new Uint8Array());
});
afterAll(() => nats.stop());

describe('mcs bus check', () => {
  it('finds nothing on a bus where everything fits together, and makes no stream where none is', async () => {
    expect(await check()).toEqual({ findings: [], more: {}, skipped: [] });
    const empty = await startNats();
    const nothing = await checkBus({
      bus: await empty.connected({ looksOnly: true }),
      clock: SOON,
      bringUp: async () => true,
    });
    expect(new Set(nothing.findings.map((each) => each.check))).toEqual(new Set(['stream-missing']));
    expect(nothing.skipped.length).toBeGreaterThan(10);
    const standing = (await (await empty.connected({ looksOnly: true })).inventory.compare()).map(
      (each) => each.standing,
    );
    expect(new Set(standing)).toEqual(new Set([undefined]));
    await empty.stop();
  });

  it('finds each thing that does not fit, repairs what needs no guess, and then finds the rest alone', async () => {
    await put('members', 'checkpoint.lane.sat2', { epoch: 1, submission: 500, known: {} });
    const known = { seq: 1, at: 5 };
    await put('members', 'checkpoint.runs.1', { epoch: 1, submission: 1, known: { RUNS: known } });
    await put('members', 'checkpoint.lane.sat3', Buffer.from('garbage'));
    const none = new Float64Array();
    const columns: ValueColumns = {
      platform: 'p',
      keys: [],
      meanings: [],
      value: none,
      raw: none,
      time: none,
      ground: none,
      link: new Uint16Array(),
      deferred: new Uint8Array(),
      links: [],
      wide: [],
    };
    const positions = { decoded: 7, values: 0 };
    await put('values', 'sat1', await encodeCheckpoint({ epoch: 1, positions, columns }));
    await put('members', 'partition.lane.sat2', { owner: 'dead', after: 1 });
    const holders = [OVER_TOO, UNKNOWN].map((run) => ({ run, mode: 'shared' }));
    await put('leases', 'sat2', { holders });
    await put('leases', 'sat3', Buffer.from([0xc1]));
    await put('openRuns', `${shardOf(OVER)}.${OVER}`, { run: OVER, ir: IR, submittedAt: 1 });
    await put('openRuns', `${shardOf(LISTED)}.${LISTED}`, {
      run: LISTED,
      ir: 'b'.repeat(64),
      submittedAt: 1,
    });
    await put('runs', UNKNOWN, { run: UNKNOWN, started_at: AT });
    await put('actors', `telecommand.sat1.${SENT}`, envelope('telecommand', `sat1.${SENT}`, 9));
    await put('actors', `telecommand.sat2.${SENT}`, Buffer.from('?'));
    await put('actors', 'radio.b', Buffer.from('?'));
    await put('alarms', 'sat1.c._.behind', alarm(1));
    await alarmEvent('behind');
    await put('alarms', 'sat1.c._.ahead', alarm(4));
    await alarmEvent('ahead');
    await put('transfers', 'sat1.2.1', transfer('2', 'REQUESTED', []));
    await put('transfers', 'sat1.3.1', transfer('3', 'PARTIAL', [[0, 20]]));
    await put('openTransfers', 'sat1.3.1', {});
    await bus.objects(objectStores.files).replace('sat1/9/1/0', once(Buffer.alloc(3)));
    await bus.objects(objectStores.files).replace('sat1/3/1/0', once(Buffer.alloc(20)));
    const described = '$O.mcs_files.M.c2F0MS8zLzEvMA==';
    await manage((manager) => manager.jetstream().publish(described, Buffer.from('?')));
    await bus.objects(objectStores.uploads).put(UPLOAD, once(CONTENT));
    await manage((manager) => manager.streams.deleteMessage('OBJ_mcs_uploads', 1));
    await put('schedules', 'bad', schedule('bad', 'c'.repeat(64)));
    await put('modes', 'sat3', { mode: 'safe' });
    await manage((manager) => manager.streams.delete('KV_mcs_passes'));
    for (const n of ['1', '2', '3']) await bus.append(streams.events, 'mcs.event.sat1', Buffer.from(n));
    await manage((manager) => manager.streams.deleteMessage('EVENTS', 2));
    await manage((manager) => manager.streams.update('DEAD_LETTERS', { allow_direct: true }));

    const checked = await check(async () => {
      await bus.ensureAssets({ deadlineMs: 20_000 });
      const again = await nats.connected();
      await again.ensureAssets({ deadlineMs: 20_000 });
      return true;
    });
    const found = foundIn(checked);
    const repairable: [string, string][] = [
      ['claim-of-dead-member', 'mcs_members partition.lane.sat2'],
      ['hold-of-finished-run', 'mcs_leases sat2'],
      ['open-transfer-not-indexed', 'mcs_transfers sat1.2.1'],
      ['position-beyond-end', 'mcs_members checkpoint.lane.sat2'],
      ['snapshot-ahead-of-log', `mcs_actors telecommand.sat1.${SENT}`],
      ['stream-differs', 'DEAD_LETTERS'],
      ['stream-missing', 'KV_mcs_passes'],
      ['unreadable-record', `mcs_actors telecommand.sat2.${SENT}`],
    ];
    const forAPerson: [string, string][] = [
      ['alarm-log-behind-record', 'mcs_alarms sat1.c._.ahead'],
      ['alarm-record-behind-log', 'mcs_alarms sat1.c._.behind'],
      ['content-incomplete', 'mcs_files sat1/3/1/0'],
      ['content-incomplete', `mcs_uploads ${UPLOAD}`],
      // What leads an executor to the rest of its end.
      ['finished-run-still-open', `mcs_open_runs ${shardOf(OVER)}.${OVER}`],
      ['hold-of-unknown-run', 'mcs_leases sat2'],
      ['parts-without-transfer', 'mcs_files sat1/9/1/0'],
      ['past-lost', 'mcs_members checkpoint.runs.1'],
      ['position-beyond-end', 'mcs_values sat1'],
      ['run-without-log', `mcs_runs ${UNKNOWN}`],
      ['run-without-program', `mcs_open_runs ${shardOf(LISTED)}.${LISTED}`],
      ['schedule-without-program', 'mcs_schedules bad'],
      ['stream-with-holes', 'EVENTS'],
      ['transfer-without-parts', 'mcs_transfers sat1.3.1'],
      ['unreadable-record', 'mcs_actors radio.b'],
      ['unreadable-record', 'mcs_leases sat3'],
      ['unreadable-record', 'mcs_members checkpoint.lane.sat3'],
      ['unreadable-record', 'mcs_modes sat3'],
    ];
    const inOrder = (list: [string, string][]): [string, string][] => [...list].sort();
    expect(inOrder(found)).toEqual(inOrder([...repairable, ...forAPerson]));

    for (const finding of checked.findings)
      if (finding.repair !== undefined) expect(await finding.repair(), finding.where).toBe(true);
    expect(inOrder(foundIn(await check()))).toEqual(inOrder(forAPerson));
    const mark = await bus.bucket(buckets.members).get('checkpoint.lane.sat2');
    expect(JSON.parse(Buffer.from(mark!.value).toString())).toMatchObject({ epoch: 1, submission: 1 });
    const free = await bus.bucket(buckets.members).get('partition.lane.sat2');
    expect(JSON.parse(Buffer.from(free!.value).toString())).toMatchObject({ owner: null });
  });

  it('a repair that comes too late leaves what was written meanwhile', async () => {
    await put('members', 'partition.lane.sat9', { owner: 'dead', after: 1 });
    const { findings } = await check();
    const claim = findings.find(({ where }) => where.endsWith('sat9'))!;
    await put('members', 'partition.lane.sat9', { owner: 'alive', after: 2 });
    expect(await claim.repair!()).toBe(false);
    expect(foundIn(await check())).not.toContainEqual([claim.check, claim.where]);
  });

  it('goes on behind what names a program that can be none, and behind a schedule that no process reads', async () => {
    const run = `${shardOf(LISTED)}.${LISTED}`;
    await put('schedules', 'no-program', schedule('no-program', 'no key'));
    await put('schedules', 'no-start', { ...schedule('no-start', IR), start: 'whenever' });
    await put('openRuns', run, { run: LISTED, ir: 'no key', submittedAt: 1 });
    const found = foundIn(await check());
    expect(found).toContainEqual(['schedule-without-program', 'mcs_schedules no-program']);
    expect(found).toContainEqual(['unreadable-record', 'mcs_schedules no-start']);
    expect(found).toContainEqual(['run-without-program', `mcs_open_runs ${run}`]);
  });

  it('names every kind of finding in words', () => {
    for (const words of Object.values(CHECKS)) expect(words.length).toBeGreaterThan(20);
  });

  it('as a command: exit code 1 with what is wrong, 3 where there is no bus, and --json', async () => {
    const printed: string[] = [];
    const said: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    try {
      const on = ['--nats', nats.url, '--credentials', nats.credentialsFile];
      expect(await busCommand(['check', '--json', '--repair', ...on])).toBe(1);
      const answer = JSON.parse(printed.splice(0).join('')) as {
        fits: boolean;
        findings: { outcome: string }[];
      };
      expect(answer.fits).toBe(false);
      expect(new Set(answer.findings.map(({ outcome }) => outcome))).toEqual(new Set(['open']));
      expect(await busCommand(['check', '--nats', 'nats://127.0.0.1:1'])).toBe(3);
      expect(said.join('')).toContain('was not read');
    } finally {
      vi.restoreAllMocks();
    }
  }, 90_000);
});
