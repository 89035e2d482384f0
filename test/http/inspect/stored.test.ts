/**
 * What the inspector's routes tell of entities from what is stored of them: beside a living one, and where no process
 * answers.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { InspectedEntity, InspectFound, InspectTree } from '../../../contract/inspector.ts';
import { INSPECT_STORED_MOST_MS } from '../../../contract/limits/inspect.ts';
import { SCHEDULE_ID_CHARACTERS } from '../../../contract/limits/schedule.ts';
import { accepted } from '../../../contract/result.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { type StoredTransfer, transferKey } from '../../../contract/transfer.ts';
import { KeptEnvelopes, packr } from '../../../messaging/kept-envelopes.ts';
import { SchedulesOver } from '../../../messaging/schedules-over.ts';
import { TransfersOver } from '../../../messaging/transfers-over.ts';
import { storedSchedule } from '../../mission/schedule/records.ts';
import { call } from '../../support/client.ts';
import { recordBytes, storedTransfer } from '../../support/transfers.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../world.ts';
import { entityView, type FakeProcess, startFakeProcess, summary } from './fake-process.ts';

const ID = 'sat1.01J5ZK3M8QW7V9XH2C4T6R8YAB';
const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const DUE = 1_900_000_000_000;
let world: World;
let url: string;
const processes: FakeProcess[] = [];

/** What the routes answer, one after the other. */
type Body = InspectFound & InspectTree & InspectedEntity;

/** Before anything was stored; the server that says when it was is on this machine. */
let began: number;

beforeAll(async () => {
  began = Date.now();
  world = await startWorld();
  url = `${world.url}/v1/inspect`;
  const timer = { id: 'x', event: { type: 'xstate.after.verificationTimeout.telecommand.SENT' }, dueAt: DUE };
  await keep('telecommand', ID, {
    snapshot: {
      value: { SENT: 'verifying' },
      context: { target: 'sat1', component: 'eps', instance: '2', telecommand: 'reset', big: 1n },
    },
    timers: [timer],
    effects: [{ key: `telecommand:${ID}:3:1`, effect: { type: 'effect.verify' } }],
  });
  await keep('run', RUN, {
    snapshot: { value: 'waitingDecision', context: { run: RUN } },
    facts: { summary: { run: RUN, procedure: 'tune', targets: { sat: 'sat2', ref: 'sat1' } } },
  });
  const damaged = world.bus.bucket(buckets.actors);
  await damaged.put('telecommand.sat1.damaged', Buffer.from('nonsense'), 0);
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const each of processes.splice(0)) await each.leave();
  await until(async () => (await get('tree')).body.silent.length === 0);
});

async function keep(kind: string, id: string, more: object): Promise<void> {
  const kept = new KeptEnvelopes(world.bus, { kind, version: 1 });
  const written = await kept.write({
    kind,
    id,
    version: 1,
    revision: 3,
    epoch: 17,
    timers: [],
    effects: [],
    snapshot: undefined,
    covers: { position: 1_204, mark: 'm' },
    ...more,
  });
  expect(written).toBe('written');
}

const get = (path: string) => call<Body>('GET', `${url}/${path}`);

async function process(instance: string, answers: FakeProcess['answers'] = {}): Promise<FakeProcess> {
  const started = await startFakeProcess(world.bus, instance, answers);
  processes.push(started);
  const told = async () =>
    (await get('tree')).body.processes.map((each: { instance: string }) => each.instance);
  await until(async () => (await told()).includes(instance));
  return started;
}

/** What of the list has been read before is as old as the test asks for. */
async function listed(query = '') {
  const { body } = await get(`entities${query}`);
  return body.entities;
}

describe('an entity whose process is silent', () => {
  it('is listed as its store has it, and says so', async () => {
    await (await process('gone')).silence();
    const found = await listed('?kind=telecommand');
    expect(found).toMatchObject([
      {
        kind: 'telecommand',
        id: ID,
        label: 'eps[2].reset',
        target: 'sat1',
        status: 'loading',
        state: 'SENT.verifying',
        revision: 3,
        stored: {
          epoch: 17,
          chartVersion: 1,
          position: 1_204,
          state: 'SENT.verifying',
          timers: [{ event: 'xstate.after.verificationTimeout.telecommand.SENT', dueAt: DUE }],
          effects: [{ key: `telecommand:${ID}:3:1`, type: 'effect.verify' }],
        },
      },
    ]);
    expect(found[0]).not.toHaveProperty('instance');
    expect(found[0]!.stored!.at).toBeGreaterThanOrEqual(began);
    expect(found[0]!.stored!.at).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['?target=sat2', [RUN]],
    ['?state=verifying', [ID]],
    ['?state=waitingDecision', [RUN]],
    ['?kind=run&id=tun', [RUN]],
    ['?id=eps[2].res', [ID]],
    ['?kind=alarm', []],
  ])('is found by %s', async (query, ids) => {
    expect((await listed(query)).map(({ id }) => id)).toEqual(ids);
  });

  it('is shown as its store has it', async () => {
    const { status, body } = await get(`entities/telecommand/${ID}`);
    expect(status).toBe(200);
    expect(body.entity).toMatchObject({
      instance: '',
      status: 'loading',
      state: 'SENT.verifying',
      active: ['telecommand.SENT', 'telecommand.SENT.verifying'],
      epoch: 17,
      accepts: [],
      refuses: [],
      chart: { kind: 'telecommand', version: 1 },
      context: { target: 'sat1', big: '1' },
      effects: [{ type: 'effect.verify' }],
      timers: [{ dueAt: DUE }],
      stored: { position: 1_204 },
    });
    const run = await get(`entities/run/${RUN}`);
    expect(run.body.entity).toMatchObject({
      label: 'tune',
      target: 'sat1, sat2',
      state: 'waitingDecision',
      active: ['run.waitingDecision'],
    });
  });

  it.each(['telecommand/sat1.damaged', 'telecommand/sat1.none', 'door/..', 'door/a%20b'])(
    'is unknown where nothing can be read: %s',
    async (name) => {
      expect((await get(`entities/${name}`)).status).toBe(404);
    },
  );
});

describe('an entity that lives', () => {
  it('is listed where it lives, also one that its process does not name among the first', async () => {
    await process('p1', {
      find: ({ ids }: { ids?: readonly string[] }) =>
        ids === undefined
          ? accepted({ entities: [], more: 2 })
          : accepted({
              entities: ids.map((id) => summary(id, { kind: id === RUN ? 'run' : 'telecommand' })),
              more: 0,
            }),
    });
    expect(await listed('?kind=telecommand')).toEqual([]);
  });

  it('is shown with what is stored of it', async () => {
    await process('p1', { entity: () => accepted(entityView(ID, 'p1', { kind: 'telecommand' })) });
    const { body } = await get(`entities/telecommand/${ID}`);
    expect(body.entity).toMatchObject({
      instance: 'p1',
      state: 'open',
      stored: { revision: 3, position: 1_204 },
    });
  });
});

describe('an entity whose record is in a bucket of its own', () => {
  it('is shown as its record has it', async () => {
    const campaign = {
      kind: 'campaign',
      id: 'c1',
      version: 2,
      revision: 5,
      epoch: 1,
      timers: [],
      effects: [],
      snapshot: { value: 'interrupted', context: { name: 'sweep' } },
    };
    await world.bus.bucket(buckets.benchRuns).put('campaign.c1', packr.pack(campaign), 0);
    const record = { state: 'ACTIVE_ACK', previous: 'ACTIVE_UNACK', seq: 4, at: '2026-01-01T00:00:00.000Z' };
    const actor = { epoch: 9, evaluated: { position: 1, at: 1 } };
    const stored = { ...record, shelved_until: '2030-01-01T00:00:00.000Z', actor };
    await world.bus.bucket(buckets.alarms).put('sat1.eps.1.low', Buffer.from(JSON.stringify(stored)), 0);
    expect((await get('entities/campaign/c1')).body.entity).toMatchObject({
      state: 'interrupted',
      chart: { kind: 'campaign', version: 2 },
      stored: { revision: 5 },
    });
    const alarm = (await get('entities/alarm/sat1.eps.1.low')).body.entity;
    expect(alarm).toMatchObject({ state: 'ACTIVE_ACK', revision: 4, epoch: 9, target: 'sat1' });
    expect(alarm.timers).toEqual([{ event: 'end of the shelving', dueAt: Date.UTC(2030, 0, 1) }]);
    expect(alarm.stored).not.toHaveProperty('position');
    expect(alarm.label).toBe('eps[1].low');
    expect(alarm.active).toEqual([
      'alarm.life',
      'alarm.shelving',
      'alarm.life.ACTIVE_ACK',
      'alarm.shelving.shelved',
    ]);
  });

  it.each([
    ['', ''],
    ['?kind=alarm', 'sat4.obc._.hot CLEARED_UNACK, sat4.obc._.off NORMAL'],
    ['?target=sat4', 'sat4.obc._.hot CLEARED_UNACK, sat4.obc._.off NORMAL'],
    ['?state=CLEARED_UNACK', 'sat4.obc._.hot CLEARED_UNACK'],
    ['?id=obc.ho', 'sat4.obc._.hot CLEARED_UNACK'],
    ['?target=sat4&state=NORMAL', 'sat4.obc._.calm NORMAL, sat4.obc._.off NORMAL'],
    ['?id=calm', 'sat4.obc._.calm NORMAL'],
  ])(
    'stored.B4 alarms at rest are found by "%s", those that are normal by a state or an id',
    async (query, names) => {
      const shelved = { shelved_until: '2030-01-01T00:00:00.000Z' };
      await keepAlarm('sat4.obc._.hot', { state: 'CLEARED_UNACK' });
      await keepAlarm('sat4.obc._.calm', { state: 'NORMAL' });
      await keepAlarm('sat4.obc._.off', { state: 'NORMAL', ...shelved });
      // A list that took long is good for longer, up to this.
      const timeoutMs = 1.5 * INSPECT_STORED_MOST_MS;
      await until(async () => (await alarmsFound(query)) === names, { what: names, timeoutMs });
    },
    2 * INSPECT_STORED_MOST_MS,
  );

  it('a schedule is found and shown at rest, with its state lit, its reasons and the time to its start', async () => {
    const fire_at = '2030-01-02T03:04:35.000Z';
    await keepSchedule('s1', { state: 'at_risk', reasons: ['LOS comes first'], fire_at });
    await keepSchedule('s2', { state: 'missed', reasons: ['the pass is over'], run: 'tune' });
    expect(await found('')).not.toContain('schedule');
    expect(await found('?kind=schedule')).toBe('s1 loading at_risk, s2 finished missed');
    expect(await found('?state=at_risk')).toBe('s1 loading at_risk');
    expect(await found('?id=tune&kind=schedule')).toBe('s2 finished missed');
    const { entity } = (await get('entities/schedule/s1')).body;
    expect(entity).toMatchObject({
      status: 'loading',
      state: 'at_risk',
      target: 'sat1',
      label: 'take_image',
    });
    expect([entity.active, entity.instance]).toEqual([['schedule.at_risk'], '']);
    expect(entity.timers).toEqual([{ event: 'start.reached', dueAt: Date.parse(fire_at) }]);
    expect(entity.context).toMatchObject({ record: { reasons: ['LOS comes first'] } });
    const over = (await get('entities/schedule/s2')).body.entity;
    expect([over.status, over.timers]).toEqual(['finished', []]);
    expect((await get('entities/schedule/s3')).status).toBe(404);
  });

  it.each(['a short', 'the longest'])(
    'a schedule with %s identifier that has long been final is shown as its record was kept',
    async (length) => {
      const id = length === 'a short' ? 's4' : `s${'4'.padStart(SCHEDULE_ID_CHARACTERS - 1, '0')}`;
      const record = aSchedule(id, { state: 'cancelled', reasons: ['cancelled by eve'] });
      await new SchedulesOver(world).keep([record], Date.now());
      const { entity } = (await get(`entities/schedule/${id}`)).body;
      expect(entity).toMatchObject({
        status: 'finished',
        state: 'cancelled',
        active: ['schedule.cancelled'],
      });
      expect(entity.context).toMatchObject({ record: { reasons: ['cancelled by eve'] } });
    },
  );
});

async function keepAlarm(key: string, more: object): Promise<void> {
  const record = { previous: 'NORMAL', seq: 4, at: '2026-01-01T00:00:00.000Z', ...more };
  const entry = { ...record, actor: { epoch: 9, evaluated: { position: 1, at: 1 } } };
  await world.bus.bucket(buckets.alarms).overwrite(key, Buffer.from(JSON.stringify(entry)));
}

/** Those of sat4, by name: the list is a moment old (stored.B1). */
async function alarmsFound(query: string): Promise<string> {
  const { entities } = (await get(`entities${query}`)).body;
  const alarms = entities.filter(({ kind, target }) => kind === 'alarm' && target === 'sat4');
  return alarms
    .map(({ id, state }) => `${id} ${state}`)
    .sort()
    .join(', ');
}

async function found(query: string): Promise<string> {
  const { entities } = (await get(`entities${query}`)).body;
  const schedules = entities.filter(({ kind }) => kind === 'schedule');
  return schedules.map(({ id, status, state }) => `${id} ${status} ${state}`).join(', ');
}

/** As a scheduler would have written it. */
async function keepSchedule(id: string, more: Partial<StoredSchedule>): Promise<void> {
  const data = Buffer.from(JSON.stringify(aSchedule(id, more)));
  const written = await world.bus.bucket(buckets.schedules).put(id, data, 0);
  await world.books.schedules.seen(written.outcome === 'written' ? written.revision : undefined);
}

function aSchedule(id: string, more: Partial<StoredSchedule>): StoredSchedule {
  const at = new Date(Date.UTC(2026, 0, 1) + Number(id.slice(1))).toISOString();
  const { state = 'scheduled', reasons = [] } = more;
  const times = { fire_at: at, created_at: at, updated_at: at };
  return storedSchedule({
    id,
    ...times,
    start: 'aos',
    run: 'take_image',
    changes: [{ at, state, reasons }],
    ...more,
  });
}

describe('a transfer', () => {
  const seen = async (query: string): Promise<string> => {
    const { entities } = (await get(`entities${query}`)).body;
    const transfers = entities.filter(({ kind }) => kind === 'transfer');
    return transfers.map(({ id, status, state }) => `${id} ${status} ${state}`).join(', ');
  };
  const keep = async (record: StoredTransfer): Promise<void> => {
    await world.bus.bucket(buckets.transfers).put(transferKey(record), recordBytes(record), 0);
    await world.books.transfers.seen(transferKey(record));
  };

  it('is found and shown from its record, with its states lit and the bytes that are there', async () => {
    await world.books.transfers.ready;
    await keep(storedTransfer({ state: 'PARTIAL', received: [[0, 10]], by: 'ada', actor: {} }));
    await keep(storedTransfer({ file_id: '8', state: 'SUPERSEDED', reason: 'new generation', actor: {} }));
    expect(await seen('')).toBe('');
    expect(await seen('?kind=transfer')).toBe('sat1.7.2 loading PARTIAL, sat1.8.2 finished SUPERSEDED');
    expect(await seen('?kind=transfer&state=PARTIAL')).toBe('sat1.7.2 loading PARTIAL');
    expect(await seen('?kind=transfer&target=sat2')).toBe('');
    expect(await seen('?id=ada')).toBe('sat1.7.2 loading PARTIAL');
    const { entity } = (await get('entities/transfer/sat1.7.2')).body;
    expect(entity).toMatchObject({
      status: 'loading',
      state: 'PARTIAL',
      target: 'sat1',
      label: 'download of file 7',
      active: ['transfer.PARTIAL', 'transfer.PARTIAL.receiving'],
      context: { record: { received: [[0, 10]], size: 1_000 } },
    });
    expect((await get('entities/transfer/sat1.9.2')).status).toBe(404);
    expect((await get('entities/transfer/sat1.x')).status).toBe(404);
  });

  it('that is long over is shown as its record was kept', async () => {
    const record = storedTransfer({
      file_id: '9',
      state: 'CORRUPTED',
      reason: 'crc32 is 1, listed is 2',
      actor: {},
    });
    await new TransfersOver(world).keep([record], Date.now());
    const { entity } = (await get('entities/transfer/sat1.9.2')).body;
    expect(entity).toMatchObject({ status: 'finished', state: 'CORRUPTED', active: ['transfer.CORRUPTED'] });
  });
});
