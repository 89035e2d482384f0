import { describe, expect, it } from 'vitest';
import {
  eventOf,
  eventsOf,
  headOf,
  isEventOf,
  recordOf as recordBehind,
} from '../../../actors/alarm/alarm-event.ts';
import {
  type AlarmTerm,
  createRecordStore,
  SHELVING_TERM,
  validName,
} from '../../../actors/alarm/record-store.ts';
import { logOf } from '../../../actors/alarm/replay.ts';
import type { AlarmEvent, AlarmRecord, AlarmState, StoredAlarm } from '../../../contract/alarm.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import { readStoredAlarm, storedAlarmBytes } from '../../../contract/stored-alarm.ts';
import { alarmMachine } from '../../../machines/alarm/alarm.ts';
import type { AlarmItem } from '../../../machines/alarm/protocol.ts';
import { NEVER_EVALUATED } from '../../../machines/alarm/record.ts';
import type { Commit, Committed, Emitted, Store } from '../../../ports/entity.ts';
import { restore } from '../../harness/harness.ts';
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
  const seen = {
    lost: [] as Error[],
    covered: [] as [number | undefined, number | undefined][],
    compared: [] as [number | undefined, number | undefined][],
    published: [] as number[],
    written: [] as [string, number][],
    eventsLost: [] as [string, number][],
  };
  const holding = { holds: true };
  const term: AlarmTerm = {
    epoch: 7,
    holds: () => holding.holds,
    lost: (error) => void seen.lost.push(error),
    written: (key, { record }) => void seen.written.push([key, record.seq]),
    published: (_, { record }) => void seen.published.push(record.seq),
    oldest: () => NOW - 90 * DAY,
    heads: new Map(),
    eventsLost: (key, until) => void seen.eventsLost.push([key, until]),
    writing: () => ({ ended: (revision, head) => void seen.covered.push([revision, head?.position]) }),
    comparing: () => ({ ended: (revision, head) => void seen.compared.push([revision, head?.position]) }),
  };
  const store = createRecordStore({ bus, term: () => term });
  const commit = (position: number, ...records: Emitted[]): Commit => {
    const envelope = (): never => {
      throw new Error('the record is the snapshot');
    };
    return { id: KEY, epoch: 7, position, records, envelope, final: false };
  };
  const put = (stored: StoredAlarm): Promise<number> =>
    bus.bucket(buckets.alarms).overwrite(KEY, storedAlarmBytes(stored));
  const events = (): number[] =>
    bus
      .messages(streams.alarms)
      .map(({ data }) => (JSON.parse(Buffer.from(data).toString()) as AlarmEvent).seq);
  return { bus, store, term, commit, put, events, seen, holding };
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
      order.push(`record ${readStoredAlarm(value)!.record.seq}`);
      return put(key, value, expected);
    };
    bus.fate = (id) => void order.push(id);
    await store.commit(commit(0, item(1), item(2)));
    expect(order).toEqual(['record 1', `${KEY}-1`, 'record 2', `${KEY}-2`]);
    expect(events()).toEqual([1, 2]);
  });

  it('alarm/record-store.R1 where the stream of the alarm ends is known behind each event, and from the stream by who reads it', async () => {
    const { bus, store, commit, term } = world();
    bus.now = () => NOW + 5;
    await store.commit(commit(0, item(1)));
    expect(term.heads.get(KEY)).toEqual({ position: 1, at: NOW });
    term.heads.clear();
    await store.load(KEY);
    expect(term.heads.get(KEY)).toEqual({ position: 1, at: NOW + 5 });
  });

  it('alarm/record-store.R1 a transition is reported between its record and its event, and nothing else is', async () => {
    const { bus, term, commit, events } = world();
    const order: unknown[] = [];
    const written = (state: string) => {
      order.push([state, bus.bucket(buckets.alarms).entries.size, events()]);
    };
    await createRecordStore({ bus, term: () => term, written }).commit(commit(0, item(1), item(1, false)));
    expect(order).toEqual([['ACTIVE_UNACK', 1, []]]);
  });

  it('compared-mark.C1 each write is accounted for with its event, also one that is asked for again', async () => {
    const { bus, store, commit, seen } = world();
    bus.bucket(buckets.alarms).loseAnswer = true;
    await patiently(store, commit(0, item(1), item(1, false), item(2)));
    expect(seen.covered).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
    ]);
    await store.load(KEY);
    expect(seen.compared).toEqual([[3, 2]]);
  });

  it('compared-mark.C1 of a record that cannot be brought together with its events nothing is accounted for', async () => {
    const { bus, store, put, seen } = world();
    await put({ record: recordOf(1), evaluated: NEVER_EVALUATED, epoch: 7 });
    bus.fate = () => 'lost';
    await expect(store.load(KEY)).rejects.toThrow('lost');
    expect(seen.compared).toEqual([[undefined, undefined]]);
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
      const unanswered = lose && id.endsWith('-3');
      if (unanswered) lose = false;
      return unanswered ? 'unanswered' : undefined;
    };
    const committed = await patiently(store, commit(0, item(1), item(2), item(3)));
    expect(committed).toEqual({ outcome: 'committed', position: 3 });
    expect(events()).toEqual([1, 2, 3]);
    expect(seen.published).toEqual([1, 2, 3]);
    expect(seen.written).toEqual([1, 2, 3].map((seq) => [KEY, seq]));
    const epochs = bus.messages(streams.alarms).map(({ headers }) => headers[header.epoch]);
    expect(epochs).toEqual(['7', '7', '7']);
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
    for (const isTransition of [true, false])
      expect(await store.commit(commit(0, item(1, isTransition)))).toEqual({ outcome: 'fenced' });
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

  it('MC-ALM-054 alarm-event.E1 nor is one behind which others have published the next', async () => {
    const { bus, store, commit, events } = world();
    await store.commit(commit(0, item(1)));
    const [first] = bus.messages(streams.alarms);
    const known = JSON.parse(Buffer.from(first!.data).toString()) as AlarmEvent;
    for (const seq of [2, 3])
      await bus.append(streams.alarms, first!.subject, Buffer.from(JSON.stringify({ ...known, seq })));
    expect(await store.commit(commit(1, item(2)))).toEqual({ outcome: 'committed', position: 2 });
    expect(events()).toEqual([1, 2, 3]);
    expect(await store.commit(commit(2, item(4)))).toEqual({ outcome: 'committed', position: 3 });
    expect(events()).toEqual([1, 2, 3, 4]);
  });

  it('MC-ALM-054 alarm-event.E1 one that somebody else has published before it is no reason to be silent: it is appended behind', async () => {
    const { bus, store, commit, events } = world();
    await store.commit(commit(0, item(1)));
    const [first] = bus.messages(streams.alarms);
    const known = JSON.parse(Buffer.from(first!.data).toString()) as AlarmEvent;
    await bus.append(streams.alarms, first!.subject, Buffer.from(JSON.stringify({ ...known, seq: 2 })));
    expect(await store.commit(commit(1, item(3)))).toEqual({ outcome: 'committed', position: 2 });
    expect(events()).toEqual([1, 2, 3]);
  });

  it('alarm/record-store.R2 nothing is read or written without leading, in another term, or under what is no name', async () => {
    const { bus, store, term, commit } = world();
    const idle = createRecordStore({ bus, term: () => undefined });
    expect(await idle.load(KEY)).toBeUndefined();
    const fenced = [
      await idle.commit(commit(0, item(1))),
      await store.commit({ ...commit(0, item(1)), epoch: term.epoch - 1 }),
      await store.commit({ ...commit(0, item(1)), id: 'sat1.obc._.h ot' }),
      // Behind a record that is gone.
      await store.commit(commit(3, item(1))),
    ];
    expect(fenced).toEqual(fenced.map(() => ({ outcome: 'fenced' })));
    expect(bus.bucket(buckets.alarms).entries.size).toBe(0);
  });

  it('alarm/record-store.R4 R5 what says the same in an older place is not taken for its own write', async () => {
    const { store, commit, put, events } = world();
    await put({ ...item(1).stored, epoch: 7 });
    expect(await store.commit(commit(5, item(1)))).toEqual({ outcome: 'fenced' });
    expect(events()).toEqual([]);
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
    expect(envelope.snapshot).toMatchObject({
      value: { life: 'ACTIVE_ACK', shelving: 'shelved' },
      context: {
        record: { ...recordOf(3, 'ACTIVE_ACK'), shelved_until: until },
        evaluated: { position: 9, at: 9 },
        reactions: [{ seq: 1 }, { seq: 2 }, { seq: 3 }],
        reports: 2,
      },
    });
    expect([envelope.epoch, envelope.revision]).toEqual([5, 3]);
    const [term] = envelope.timers;
    expect(term).toEqual({ id: SHELVING_TERM, event: { type: SHELVING_TERM }, dueAt: Date.parse(until) });
    expect(envelope).toMatchObject({ kind: 'alarm', id: KEY });
    expect(envelope.effects.map(({ key }) => key)).toEqual([0, 1, 2].map((n) => `alarm:${KEY}:3:${n}`));
    expect(envelope.effects.map(({ effect }) => effect)).toEqual([
      { type: 'effect.await-reaction', seq: 2, run: 'R' },
      { type: 'effect.react', seq: 3, at: 3, procedure: 'p' },
      { type: 'effect.report-reaction', seq: 1, report: 2, reason: 'held' },
    ]);
  });

  it('MC-ALM-049 the timer of a shelving that comes back is the one that ends it', async () => {
    const { store, put } = world();
    const shelved_until = new Date(NOW + 60_000).toISOString();
    await put({ record: { ...recordOf(1), shelved_until }, epoch: 7, evaluated: { position: 1, at: 0 } });
    const { snapshot, timers } = (await store.load(KEY))!.envelope;
    const cell = restore(alarmMachine, { at: NOW, snapshot, timers });
    expect(cell.state).toContain('shelving.shelved');
    cell.advance(60_000);
    expect(cell.state).toContain('shelving.unshelved');
  });

  it('MC-ALM-054 publishes what the stream misses, and not what has left it by its age', async () => {
    const fresh = world();
    await fresh.put({ record: recordOf(1), epoch: 5, evaluated: { position: 1, at: 0 } });
    await fresh.store.load(KEY);
    await fresh.store.load(KEY);
    expect(fresh.events()).toEqual([1]);
    const loaded = [KEY, 1];
    expect([fresh.seen.published, fresh.seen.written]).toEqual([[1], [loaded, loaded]]);
    const old = world();
    const record = recordOf(1, 'ACTIVE_UNACK', NOW - 91 * DAY);
    await old.put({ record, epoch: 5, evaluated: { position: 1, at: 0 } });
    await old.store.load(KEY);
    expect(old.events()).toEqual([]);
  });

  it('MC-ALM-054 what is exactly as old as the stream keeps events is published', async () => {
    const { store, put, events } = world();
    await put({
      record: recordOf(1, 'ACTIVE_UNACK', NOW - 90 * DAY),
      epoch: 7,
      evaluated: { position: 1, at: 0 },
    });
    expect((await store.load(KEY))?.position).toBe(1);
    expect(events()).toEqual([1]);
  });

  it('alarm/record-store.R2 a record of this term is its own', async () => {
    const { store, put, seen } = world();
    await put({ record: recordOf(1), epoch: 7, evaluated: { position: 1, at: 0 } });
    expect(await store.load(KEY)).toBeDefined();
    expect(seen.lost).toEqual([]);
  });

  it('MC-ALM-054 a record that cannot be read is said, and left as it is', async () => {
    const { bus, store } = world();
    await bus.bucket(buckets.alarms).overwrite(KEY, Buffer.from('noise'));
    await expect(store.load(KEY)).rejects.toThrow(/cannot be read: correct or remove it/);
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
    for (const key of ['sat1.obc.hot', 'sat1.obc._.h ot', 'sat1.obc.a b.hot', 'sat1.*._.hot', ''])
      expect(await store.load(key)).toBeUndefined();
    expect(validName('sat1.obc.2.hot')).toMatchObject({ instance: '2' });
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

describe('a history read back', () => {
  const at = NOW;
  const until = '2026-06-01T01:00:00.000Z';
  const first: AlarmEvent = {
    target: 'sat1',
    component: 'obc',
    alarm: 'hot',
    previous: 'NORMAL',
    state: 'ACTIVE_UNACK',
    seq: 1,
    at: new Date(NOW).toISOString(),
    cause: 'condition',
  };
  const evaluated = { position: 1, at };

  it.each<[string, Partial<AlarmEvent>, object]>([
    ['a condition', { severity: 'critical', value: 3 }, { severity: 'critical', value: 3, evaluated }],
    ['one that is acknowledged', { state: 'ACTIVE_ACK' }, { severity: 'warning', evaluated }],
    ['one that is over', { state: 'CLEARED_UNACK', severity: 'critical' }, { severity: null, evaluated }],
    ['normal', { state: 'NORMAL' }, { severity: null, evaluated }],
    ['an acknowledgement', { cause: 'acknowledged', by: 'ada' }, { type: 'operator.acknowledge', by: 'ada' }],
    [
      'a shelving',
      { cause: 'shelved', by: 'ada', shelved_until: until },
      { type: 'operator.shelve', by: 'ada', until: Date.parse(until) },
    ],
    ['an end of it', { cause: 'unshelved', by: 'ada' }, { type: 'operator.unshelve', by: 'ada' }],
  ])('alarm/replay.A1 %s is what the chart received', (_what, more, told) => {
    const { steps, from } = logOf(KEY, [{ ...first, ...more }])!;
    expect([steps[0]?.told, from]).toEqual([[{ type: 'condition.changed', at, ...told }], 1]);
    expect(steps[0]).not.toHaveProperty('put');
  });

  it('alarm/replay.A1 a shelving that nobody ended has ended by its term; a history of nothing is none', () => {
    expect(logOf(KEY, [{ ...first, cause: 'unshelved' }])!.steps[0]?.told).toEqual([{ type: SHELVING_TERM }]);
    expect(logOf(KEY, [])).toBeUndefined();
  });

  it.each<[string, Partial<AlarmEvent>, 'shelved' | 'unshelved']>([
    ['a shelving', { cause: 'shelved', shelved_until: until }, 'unshelved'],
    ['the end of one', { cause: 'unshelved' }, 'shelved'],
    ['what happens while it is shelved', { shelved_until: until }, 'shelved'],
    ['what happens otherwise', {}, 'unshelved'],
  ])('alarm/replay.A2 stood before %s as it must have', (_what, more, shelving) => {
    const [step, next] = logOf(KEY, [
      { ...first, seq: 12, ...more },
      { ...first, seq: 13 },
    ])!.steps;
    expect(step?.put).toMatchObject({ value: { life: 'NORMAL', shelving } });
    expect(next).not.toHaveProperty('put');
  });
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

  it('alarm/record-store.R5 nor is one in whose place another stands', async () => {
    const { bus, store, commit, events } = world();
    bus.fate = () => {
      bus.fate = () => undefined;
      const entry = bus.bucket(buckets.alarms).entries.get(KEY)!;
      const other = storedAlarmBytes({ ...item(9).stored, epoch: 7 });
      bus.bucket(buckets.alarms).entries.set(KEY, { ...entry, value: other });
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
    const stored = readStoredAlarm(entry.value)!;
    expect(stored).toMatchObject({ epoch: 7, evaluated: { position: 4, at: 2 }, reports: 3 });
    expect(eventOf(validName(KEY)!, stored.record)).toEqual(eventsAt(bus).at(-1));
    expect(await store.commit(commit(position, item(3)))).toMatchObject({ outcome: 'committed' });
    expect(eventsAt(bus).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(seen.published).toEqual([1, 3]);
  });

  it('alarm/recovery.V2 an alarm that has events and no record gets it back, and is acknowledged as any other', async () => {
    const { bus, store, put, seen } = world();
    await published(bus, {});
    const { position, envelope } = (await store.load(KEY))!;
    expect([position, envelope.revision]).toEqual([1, 1]);
    expect(seen.written).toEqual([[KEY, 1]]);
    const again = bus.bucket(buckets.alarms).entries.get(KEY)!;
    expect(readStoredAlarm(again.value)?.evaluated).toEqual(NEVER_EVALUATED);
    expect(envelope.snapshot).toMatchObject({ value: { life: 'ACTIVE_UNACK' } });
    // The number is the record's own, and says something else.
    await put({ record: recordOf(1), epoch: 7, evaluated: { position: 1, at: 0 } });
    expect((await store.load(KEY))!.position).toBe(3);
    expect(eventsAt(bus)).toHaveLength(1);
  });

  it('alarm/recovery.V3 nor one over whose record somebody else writes meanwhile', async () => {
    const { bus, store, put } = world();
    await published(bus, {});
    const bucket = bus.bucket(buckets.alarms);
    const write = bucket.put.bind(bucket);
    bucket.put = async (...written) => {
      bucket.put = write;
      await put({ record: recordOf(1), epoch: 7, evaluated: { position: 1, at: 0 } });
      return write(...written);
    };
    await expect(store.load(KEY)).rejects.toMatchObject({
      code: 'bus.unavailable',
      message: `alarm ${KEY} was published and is not recorded, and is in somebody else's hands`,
    });
    expect(readStoredAlarm(bucket.entries.get(KEY)!.value)).toMatchObject({ record: recordOf(1) });
  });

  it.each([
    ['more than the last is missing behind an event', 1, 3, NOW, [[KEY, NOW]]],
    ['only the last is missing', 2, 3, NOW, []],
    ['no event is there at all', 0, 3, NOW, []],
    ['it is older than what the stream keeps, and events before it are there', 2, 3, NOW - 91 * DAY, []],
    ['the stream keeps nothing as old', 1, 3, NOW - 90 * DAY, []],
    ['the stream still keeps what is as old', 1, 3, NOW - 90 * DAY + 1, [[KEY, NOW - 90 * DAY + 1]]],
  ])('alarm/recovery.V4 events are lost or not where %s', async (_what, there, seq, at, lost) => {
    const { bus, store, put, seen, events, term } = world();
    if (there > 0) await published(bus, { seq: there });
    await put({ record: recordOf(seq, 'ACTIVE_UNACK', at), epoch: 7, evaluated: { position: 1, at: 0 } });
    await store.load(KEY);
    expect(seen.eventsLost).toEqual(lost);
    expect(events()).toEqual([...(there > 0 ? [there] : []), seq]);
    expect(seen.published).toEqual([seq]);
    expect(term.heads.get(KEY)).toEqual({ position: events().length, at });
  });

  it('alarm/recovery.V3 one that leads no more records nothing of it', async () => {
    const { bus, store, holding } = world();
    await published(bus, {});
    holding.holds = false;
    await expect(store.load(KEY)).rejects.toThrow(Outage);
    expect(bus.bucket(buckets.alarms).entries.size).toBe(0);
  });
});

describe('the event of a record', () => {
  const name = validName(KEY)!;
  const bare: AlarmRecord = {
    previous: 'ACTIVE_UNACK',
    state: 'CLEARED_UNACK',
    seq: 2,
    active_since: '2026-05-31T00:00:00.000Z',
    changed_at: '2026-06-01T00:00:00.000Z',
    cause: 'condition',
  };
  const whole: AlarmRecord = {
    ...bare,
    severity: 'critical',
    value: 12,
    by: 'ada',
    shelved_until: '2026-06-01T01:00:00.000Z',
    cause: 'shelved',
  };

  it('MC-ALM-053 says of it what there is to say, and no more', () => {
    const { active_since: _, changed_at: at, ...rest } = whole;
    expect(eventOf(name, whole)).toEqual({ target: 'sat1', component: 'obc', alarm: 'hot', ...rest, at });
    expect(eventOf({ ...name, instance: '2' }, bare)).toEqual({
      target: 'sat1',
      component: 'obc',
      instance: '2',
      alarm: 'hot',
      previous: 'ACTIVE_UNACK',
      state: 'CLEARED_UNACK',
      seq: 2,
      at,
      cause: 'condition',
    });
  });

  it('alarm/recovery.V2 a record is made of it again, active since it became so', () => {
    for (const record of [bare, whole]) expect(recordBehind(eventOf(name, record), record)).toEqual(record);
    const raised = { ...bare, previous: 'NORMAL', state: 'ACTIVE_UNACK' } as const;
    const since = { active_since: bare.changed_at };
    expect(recordBehind(eventOf(name, raised), bare)).toMatchObject(since);
    expect(recordBehind(eventOf(name, bare), undefined)).toMatchObject(since);
    const again = { ...raised, previous: 'CLEARED_UNACK' } as const;
    expect(recordBehind(eventOf(name, again), bare)).toMatchObject(since);
    const acknowledged = { ...raised, previous: 'ACTIVE_UNACK', state: 'ACTIVE_ACK' } as const;
    expect(recordBehind(eventOf(name, acknowledged), bare).active_since).toBe(bare.active_since);
    const over = { ...bare, state: 'NORMAL' } as const;
    expect(recordBehind(eventOf(name, over), bare)).not.toHaveProperty('active_since');
  });

  it('alarm-event.E4 is another where anything that tells transitions apart is another', () => {
    const event = eventOf(name, whole);
    expect([isEventOf(event, whole), isEventOf(eventOf(name, bare), bare)]).toEqual([true, true]);
    const others: Partial<AlarmEvent>[] = [
      { seq: 3 },
      { previous: 'NORMAL' },
      { state: 'NORMAL' },
      { severity: 'warning' },
      { by: 'eve' },
      { at: '2026-06-01T00:00:00.001Z' },
      { cause: 'condition' },
    ];
    for (const other of others) expect(isEventOf({ ...event, ...other }, whole)).toBe(false);
  });

  it('alarm-event.E3 malformed messages are skipped: the last event is the last well-formed one', async () => {
    const { bus, store, commit } = world();
    expect(await headOf(bus, name)).toEqual({ position: 0, at: 0, seq: 0, event: undefined });
    await store.commit(commit(0, item(1)));
    const { subject } = bus.messages(streams.alarms)[0]!;
    await bus.append(streams.alarms, subject, Buffer.from('noise'));
    expect(await headOf(bus, name)).toMatchObject({ position: 2, seq: 1, event: { seq: 1 } });
    expect((await eventsOf(bus, name)).map(({ seq }) => seq)).toEqual([1]);
    const noise = world().bus;
    await noise.append(streams.alarms, subject, Buffer.from('noise'));
    expect(await headOf(noise, name)).toMatchObject({ position: 1, seq: 0, event: undefined });
  });
});
