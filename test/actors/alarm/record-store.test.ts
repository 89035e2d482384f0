import { describe, expect, it } from 'vitest';
import { eventOf } from '../../../actors/alarm/alarm-event.ts';
import { type AlarmTerm, createRecordStore, validName } from '../../../actors/alarm/record-store.ts';
import { logOf } from '../../../actors/alarm/replay.ts';
import type { AlarmEvent, AlarmRecord, AlarmState, StoredAlarm } from '../../../contract/alarm.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type { AlarmItem } from '../../../machines/alarm/protocol.ts';
import type { Commit, Committed, Emitted, Store } from '../../../ports/entity.ts';
import { LogBus } from '../telecommand/log-bus.ts';

const KEY = 'sat1.obc._.hot';
const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');

function recordOf(seq: number, state: AlarmState = 'ACTIVE_UNACK', at = NOW): AlarmRecord {
  const changed_at = new Date(at).toISOString();
  return { previous: 'NORMAL', state, severity: 'warning', seq, changed_at, cause: 'condition' };
}

function item(seq: number, transition = true): AlarmItem & Emitted {
  const stored = { record: recordOf(seq), evaluated: { position: seq, at: 0 } };
  return { type: 'record', state: 'ACTIVE_UNACK', transition, stored };
}

function world() {
  const bus = new LogBus();
  const seen = { lost: [] as Error[], published: [] as number[] };
  const holding = { holds: true };
  const term: AlarmTerm = {
    epoch: 7,
    holds: () => holding.holds,
    lost: (error) => void seen.lost.push(error),
    written: () => undefined,
    published: (_, { record }) => void seen.published.push(record.seq),
    oldest: () => NOW - 90 * DAY,
    heads: new Map(),
  };
  const store = createRecordStore({ bus, term: () => term });
  const commit = (position: number, ...records: Emitted[]): Commit => {
    const envelope = (): never => {
      throw new Error('the record is the snapshot');
    };
    return { id: KEY, epoch: 7, position, records, envelope, final: false };
  };
  const put = (stored: StoredAlarm): Promise<number> =>
    bus.bucket(buckets.alarms).overwrite(KEY, Buffer.from(JSON.stringify(stored)));
  const events = (): number[] =>
    bus
      .messages(streams.alarms)
      .map(({ data }) => (JSON.parse(Buffer.from(data).toString()) as AlarmEvent).seq);
  return { bus, store, commit, put, events, seen, holding };
}

/** As a cell does: until the bus answers. */
async function patiently(store: Store, wanted: Commit): Promise<Committed> {
  for (;;) {
    try {
      return await store.commit(wanted);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
    }
  }
}

describe('writing', () => {
  it('MC-ALM-053 alarm/record-store.R1 each transition is in the bucket and on the stream before the next is written', async () => {
    const { bus, store, commit, events } = world();
    const order: string[] = [];
    const bucket = bus.bucket(buckets.alarms);
    const put = bucket.put.bind(bucket);
    bucket.put = (key, value, expected) => {
      order.push(`record ${(JSON.parse(Buffer.from(value).toString()) as StoredAlarm).record.seq}`);
      return put(key, value, expected);
    };
    bus.fate = (id) => void order.push(id);
    await store.commit(commit(0, item(1), item(2)));
    expect(order).toEqual(['record 1', `${KEY}-1`, 'record 2', `${KEY}-2`]);
    expect(events()).toEqual([1, 2]);
  });

  it('what is no transition is stored and not published', async () => {
    const { store, commit, events } = world();
    const first = await store.commit(commit(0, item(1)));
    expect(first).toEqual({ outcome: 'committed', position: 1 });
    expect(await store.commit(commit(1, item(1, false)))).toEqual({ outcome: 'committed', position: 2 });
    expect(events()).toEqual([1]);
  });

  it('alarm/record-store.R4 a write and an event whose answers are lost are each there once', async () => {
    const { bus, store, commit, events, seen } = world();
    bus.bucket(buckets.alarms).loseAnswer = true;
    let lose = true;
    bus.fate = (id) => {
      const unanswered = lose && id.endsWith('-2');
      if (unanswered) lose = false;
      return unanswered ? 'unanswered' : undefined;
    };
    const committed = await patiently(store, commit(0, item(1), item(2)));
    expect(committed).toEqual({ outcome: 'committed', position: 2 });
    expect(events()).toEqual([1, 2]);
    expect(seen.published).toEqual([1, 2]);
  });

  it('alarm/record-store.R2 a record that somebody else wrote is left as it is, and nothing is published', async () => {
    const { bus, store, commit, put, events } = world();
    await put({ record: recordOf(4), epoch: 8, evaluated: { position: 1, at: 0 } });
    expect(await store.commit(commit(0, item(1)))).toEqual({ outcome: 'fenced' });
    expect(bus.bucket(buckets.alarms).entries.get(KEY)?.revision).toBe(1);
    expect(events()).toEqual([]);
  });

  it('alarm/record-store.R2 one that leads no more writes nothing, and publishes nothing of what it has written', async () => {
    const { bus, store, commit, events, holding } = world();
    holding.holds = false;
    expect(await store.commit(commit(0, item(1)))).toEqual({ outcome: 'fenced' });
    expect(bus.bucket(buckets.alarms).entries.size).toBe(0);
    holding.holds = true;
    const bucket = bus.bucket(buckets.alarms);
    const put = bucket.put.bind(bucket);
    bucket.put = (...write) => {
      holding.holds = false;
      return put(...write);
    };
    expect(await store.commit(commit(0, item(1)))).toEqual({ outcome: 'fenced' });
    expect(events()).toEqual([]);
  });

  it('alarm-event.E1 an event that another leader has published is not published again, however long one has slept', async () => {
    const { bus, store, commit, events } = world();
    await store.commit(commit(0, item(1)));
    const [told] = bus.messages(streams.alarms);
    const { data, subject } = told!;
    const second = { ...(JSON.parse(Buffer.from(data).toString()) as AlarmEvent), seq: 2 };
    // Without a message id, as one that the stream has forgotten.
    await bus.append(streams.alarms, subject, Buffer.from(JSON.stringify(second)));
    expect(await store.commit(commit(1, item(2)))).toEqual({ outcome: 'committed', position: 2 });
    expect(events()).toEqual([1, 2]);
  });
});

describe('reading', () => {
  it('alarm/record-store.R3 an alarm that was never raised is NORMAL', async () => {
    const { store } = world();
    const { position, envelope } = (await store.load(KEY))!;
    expect([position, envelope.revision, envelope.effects, envelope.timers]).toEqual([0, 0, [], []]);
    expect(envelope.snapshot).toMatchObject({ value: { life: 'NORMAL', shelving: 'unshelved' } });
  });

  it('alarm/record-store.R3 state, shelving and reactions come back', async () => {
    const { store, put } = world();
    const until = '2026-06-01T01:00:00.000Z';
    await put({
      record: { ...recordOf(3, 'ACTIVE_ACK'), shelved_until: until },
      epoch: 5,
      evaluated: { position: 9, at: 9 },
      reactions: [
        { seq: 1, at: 1, procedure: 'p', failed: 'held', report: 2 },
        { seq: 2, at: 2, procedure: 'p', run: 'R' },
        { seq: 3, at: 3, procedure: 'p' },
      ],
      reports: 2,
    });
    const { envelope } = (await store.load(KEY))!;
    expect(envelope.snapshot).toMatchObject({ value: { life: 'ACTIVE_ACK', shelving: 'shelved' } });
    expect(envelope.timers).toMatchObject([{ dueAt: Date.parse(until) }]);
    expect(envelope.effects.map(({ effect }) => effect)).toEqual([
      { type: 'effect.await-reaction', seq: 2, run: 'R' },
      { type: 'effect.react', seq: 3, at: 3, procedure: 'p' },
      { type: 'effect.report-reaction', seq: 1, report: 2, reason: 'held' },
    ]);
  });

  it('MC-ALM-054 publishes what the stream misses, and not what has left it by its age', async () => {
    const fresh = world();
    await fresh.put({ record: recordOf(1), epoch: 5, evaluated: { position: 1, at: 0 } });
    await fresh.store.load(KEY);
    await fresh.store.load(KEY);
    expect(fresh.events()).toEqual([1]);
    const old = world();
    const record = recordOf(1, 'ACTIVE_UNACK', NOW - 91 * DAY);
    await old.put({ record, epoch: 5, evaluated: { position: 1, at: 0 } });
    await old.store.load(KEY);
    expect(old.events()).toEqual([]);
  });

  it('alarm/record-store.R2 the record of a later leader is not touched, and the term is over', async () => {
    const { store, put, seen, events } = world();
    await put({ record: recordOf(1), epoch: 8, evaluated: { position: 1, at: 0 } });
    expect(await store.load(KEY)).toBeUndefined();
    expect(seen.lost).toHaveLength(1);
    expect(events()).toEqual([]);
  });

  it('what is no name of an alarm is none', async () => {
    const { store } = world();
    for (const key of ['sat1.obc.hot', 'sat1.obc._.h ot', 'sat1.*._.hot', ''])
      expect(await store.load(key)).toBeUndefined();
  });
});

it('alarm/replay.A2 a history whose beginning has left the stream begins where it is known', () => {
  const event: AlarmEvent = {
    target: 'sat1',
    component: 'obc',
    alarm: 'hot',
    previous: 'ACTIVE_UNACK',
    state: 'ACTIVE_ACK',
    severity: 'warning',
    seq: 12,
    at: '2026-06-01T00:00:00.000Z',
    cause: 'acknowledged',
    by: 'ada',
  };
  const log = logOf(KEY, [event])!;
  expect(log.from).toBe(12);
  expect(log.steps[0]?.put).toMatchObject({ value: { life: 'ACTIVE_UNACK', shelving: 'unshelved' } });
});

it('alarm-event.E4 publishes nothing of a record where the stream went back behind its event: the leader begins again', async () => {
  const { bus, store, commit, events } = world();
  const first = await store.commit(commit(0, item(1), item(2)));
  expect(events()).toEqual([1, 2]);
  bus.messages(streams.alarms).splice(1);
  const position = first.outcome === 'committed' ? first.position : 0;
  expect(await store.commit(commit(position, item(3)))).toEqual({ outcome: 'fenced' });
  expect(events()).toEqual([1]);
});

describe('where the store went back', () => {
  const eventsAt = (bus: LogBus): AlarmEvent[] =>
    bus.messages(streams.alarms).map(({ data }) => JSON.parse(Buffer.from(data).toString()) as AlarmEvent);

  /** What an earlier writer published behind what is recorded: its record is lost. */
  async function published(bus: LogBus, event: Partial<AlarmEvent>): Promise<void> {
    const whole: AlarmEvent = {
      target: 'sat1',
      component: 'obc',
      alarm: 'hot',
      previous: 'NORMAL',
      state: 'ACTIVE_UNACK',
      severity: 'critical',
      seq: 1,
      at: '2026-05-31T23:59:00.000Z',
      cause: 'condition',
      ...event,
    };
    const id = `${KEY}-${whole.seq}`;
    await bus.append(streams.alarms, 'mcs.alarm.evt.sat1.obc._.hot', Buffer.from(JSON.stringify(whole)), {
      id,
    });
  }

  it('alarm/record-store.R5 a record that is gone when its event is asked for again is not published: the leader begins again', async () => {
    const { bus, store, commit, events } = world();
    bus.fate = () => {
      bus.fate = () => undefined;
      bus.bucket(buckets.alarms).entries.delete(KEY);
      return 'lost';
    };
    expect(await patiently(store, commit(0, item(1)))).toEqual({ outcome: 'fenced' });
    expect(events()).toEqual([]);
  });

  it.each(['remembers', 'has forgotten'])(
    'alarm-event.E4 a number that says something else is not taken for its own, where the stream %s its identifier',
    async (how) => {
      const { bus, store, commit, events, seen } = world();
      await published(bus, {});
      if (how === 'has forgotten')
        delete (bus.messages(streams.alarms)[0]!.headers as Record<string, string>)['id'];
      expect(await store.commit(commit(0, item(1)))).toEqual({ outcome: 'fenced' });
      expect([events(), seen.published]).toEqual([[1], []]);
    },
  );

  it('alarm/recovery.V2 what was published and is not recorded is recorded as it was published, and goes on from there', async () => {
    const { bus, store, commit, put, seen } = world();
    await store.commit(commit(0, item(1)));
    await put({ record: recordOf(1), epoch: 7, evaluated: { position: 4, at: 2 }, reports: 3 });
    await published(bus, { seq: 2, previous: 'ACTIVE_UNACK', state: 'CLEARED_UNACK', severity: 'warning' });
    const { position, envelope } = (await store.load(KEY))!;
    expect(envelope).toMatchObject({ revision: 2, snapshot: { value: { life: 'CLEARED_UNACK' } } });
    const entry = bus.bucket(buckets.alarms).entries.get(KEY)!;
    const stored = JSON.parse(Buffer.from(entry.value).toString()) as StoredAlarm;
    expect(stored).toMatchObject({ epoch: 7, evaluated: { position: 4, at: 2 }, reports: 3 });
    expect(eventOf(validName(KEY)!, stored.record)).toEqual(eventsAt(bus).at(-1));
    expect(await store.commit(commit(position, item(3)))).toMatchObject({ outcome: 'committed' });
    expect(eventsAt(bus).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(seen.published).toEqual([1, 3]);
  });

  it('alarm/recovery.V2 an alarm that has events and no record gets it back, and is acknowledged as any other', async () => {
    const { bus, store, put } = world();
    await published(bus, {});
    const { position, envelope } = (await store.load(KEY))!;
    expect([position, envelope.revision]).toEqual([1, 1]);
    expect(envelope.snapshot).toMatchObject({ value: { life: 'ACTIVE_UNACK' } });
    // The number is the record's own, and says something else.
    await put({ record: recordOf(1), epoch: 7, evaluated: { position: 1, at: 0 } });
    expect((await store.load(KEY))!.position).toBe(3);
    expect(eventsAt(bus)).toHaveLength(1);
  });

  it('alarm/recovery.V3 one that leads no more records nothing of it', async () => {
    const { bus, store, holding } = world();
    await published(bus, {});
    holding.holds = false;
    await expect(store.load(KEY)).rejects.toThrow(Outage);
    expect(bus.bucket(buckets.alarms).entries.size).toBe(0);
  });
});
