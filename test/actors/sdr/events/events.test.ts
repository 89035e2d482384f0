/** Events and lines of the log. RF Bench Service, sections 2, 4 and 6. */

import { describe, expect, it } from 'vitest';
import { Events, keptLines } from '../../../../actors/sdr/events/events.ts';
import { EventBucket } from '../../../../actors/sdr/events/record.ts';
import { BenchEvent, type Severity } from '../../../../contract/bench/event.ts';
import { BENCH_EVENTS_KEPT, BENCH_LOG_LINES_KEPT } from '../../../../contract/limits/bench.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { type KeptLog, keptLog } from '../../../support/silent-log.ts';
import { until } from '../../../support/until.ts';
import { accepted, refused } from '../bench-world.ts';
import { KeptBucket } from '../kept-bucket.ts';

const NOON = Date.parse('2026-01-02T12:00:00.000Z');
const HOUR = 3_600_000;

interface Life {
  readonly events: Events;
  readonly clock: ManualClock;
  readonly bucket: KeptBucket;
  readonly records: EventBucket;
  readonly log: KeptLog;
}

async function live(bucket = new KeptBucket(), clock = new ManualClock(NOON)): Promise<Life> {
  const log = keptLog();
  const records = new EventBucket(bucket, clock, log);
  const events = new Events({ clock, records, framesSince: () => 42 });
  await events.load();
  return { events, clock, bucket, records, log };
}

const reported = (kind: string, severity: Severity = 'info', source = 'radio') => ({
  kind,
  source,
  severity,
  message: `${kind} happened`,
});

describe('events', () => {
  it('RB-LOG-001 RB-LOG-007 have id, kind, source, severity, message and timestamp', async () => {
    const { events } = await live();
    expect(events.record(reported('board.attached'))).toBe(1);
    const [event] = events.events({ limit: 9 });
    expect(shapeFaults(BenchEvent, event)).toEqual([]);
    expect(event).toEqual({
      id: 1,
      kind: 'board.attached',
      source: 'radio',
      severity: 'info',
      message: 'board.attached happened',
      timestamp: '2026-01-02T12:00:00.000Z',
    });
  });

  it('RB-LOG-003 RB-LOG-006 are filtered by everything at once, newest first, and cut', async () => {
    const { events, clock } = await live();
    for (const [kind, severity, source] of [
      ['a', 'info', 'radio'],
      ['b', 'warning', 'radio'],
      ['a', 'warning', 'campaign'],
      ['a', 'error', 'radio'],
    ] as const) {
      events.record(reported(kind, severity, source));
      clock.advance(1_000);
    }
    const ids = (filter: object): (number | undefined)[] =>
      events.events({ limit: 100, ...filter }).map(({ id }) => id);
    expect(ids({})).toEqual([4, 3, 2, 1]);
    expect(ids({ limit: 2 })).toEqual([4, 3]);
    expect(ids({ limit: 0 })).toEqual([]);
    expect(ids({ kind: 'a' })).toEqual([4, 3, 1]);
    expect(ids({ kind: 'a', source: 'radio' })).toEqual([4, 1]);
    expect(ids({ severity: 'warning' })).toEqual([3, 2]);
    expect(ids({ since: NOON + 1_000, until: NOON + 2_000 })).toEqual([3, 2]);
    expect(ids({ since: NOON + 2_000, until: NOON + 1_000 })).toEqual([]);
  });

  it('counts since a moment, of a kind or of all, and frames beside', async () => {
    const { events, clock } = await live();
    events.record(reported('a'));
    clock.advance(1_000);
    events.record(reported('a'));
    events.record(reported('b'));
    expect(events.countSince({ kind: 'a' }, NOON)).toBe(2);
    expect(events.countSince({ kind: 'a' }, NOON + 1)).toBe(1);
    expect(events.countSince({ kind: undefined }, NOON + 1)).toBe(2);
    expect(events.countSince('frames', NOON)).toBe(42);
  });
});

describe('logs', () => {
  it('RB-LOG-002 are events and lines of the log, newest first, from a severity up', async () => {
    const { events, clock } = await live();
    const log = keptLines(keptLog(), () => events);
    events.record(reported('board.lost', 'error'));
    clock.advance(1_000);
    log.child({ role: 'bench' }).warn({ port: 7, err: new Error('gone') }, 'iiod lost');
    clock.advance(1_000);
    log.debug({}, 'nothing');
    const logs = events.logs({ limit: 9 });
    expect(logs.flatMap((event) => shapeFaults(BenchEvent, event))).toEqual([]);
    expect(logs.map(({ kind }) => kind)).toEqual(['log', 'log', 'board.lost']);
    expect(logs[1]).toEqual({
      kind: 'log',
      source: 'bench',
      severity: 'warning',
      message: 'iiod lost port=7 err=gone',
      timestamp: '2026-01-02T12:00:01.000Z',
    });
    expect(events.logs({ severity: 'warning', limit: 9 })).toHaveLength(2);
    expect(events.logs({ severity: 'error', limit: 9 })).toHaveLength(1);
    expect(events.logs({ since: NOON + 1, until: NOON + 1_000, limit: 9 })).toHaveLength(1);
    expect(events.logs({ limit: 1 })).toHaveLength(1);
    expect(events.events({ limit: 9 })).toHaveLength(1);
  });

  it('keep the last lines alone', async () => {
    const { events } = await live();
    for (let line = 0; line < BENCH_LOG_LINES_KEPT + 5; line += 1)
      events.line('info', 'daemon', `line ${line}`);
    const logs = events.logs({ limit: 10_000 });
    expect(logs).toHaveLength(BENCH_LOG_LINES_KEPT);
    expect(logs.map(({ message }) => message)).not.toContain('line 4');
  });
});

describe('the record', () => {
  it('RB-LOG-007 outlives a restart, and ids go on rising, also behind a purge of everything', async () => {
    const first = await live();
    first.events.record(reported('a'));
    first.events.record(reported('b'));
    await first.records.stop();
    const second = await live(first.bucket, first.clock);
    expect(second.events.events({ limit: 9 }).map(({ id }) => id)).toEqual([2, 1]);
    expect(second.events.record(reported('c'))).toBe(3);
    expect(await accepted(second.events.purge(0))).toBe(3);
    await second.records.stop();
    const third = await live(first.bucket, first.clock);
    expect(third.events.events({ limit: 9 })).toEqual([]);
    expect(third.events.record(reported('d'))).toBe(4);
  });

  it('what happens before it is read gets ids behind those it has, and overwrites none', async () => {
    const first = await live();
    first.events.record(reported('a'));
    await first.records.stop();
    const records = new EventBucket(first.bucket, first.clock, keptLog());
    const events = new Events({ clock: first.clock, records, framesSince: () => 0 });
    events.record(reported('early'));
    await events.load();
    await records.stop();
    expect(events.events({ limit: 9 }).map(({ id, kind }) => [id, kind])).toEqual([
      [2, 'early'],
      [1, 'a'],
    ]);
    expect((await live(first.bucket, first.clock)).events.events({ limit: 9 })).toHaveLength(2);
  });

  it('an event that cannot be read keeps no other from being there', async () => {
    const first = await live();
    first.events.record(reported('a'));
    await first.records.stop();
    await first.bucket.overwrite('0000000000000009', Buffer.from('{"id":'));
    expect((await live(first.bucket, first.clock)).events.events({ limit: 9 })).toHaveLength(1);
  });

  const FACTS = { kind: 'a', source: 'radio', severity: 'info', message: 'm' };
  it.each<[string, unknown]>([
    ['bytes', 'no JSON'],
    ['null', null],
    ['nothing in it', {}],
    ['no time', { id: 2, told: FACTS }],
    ['a time that is text', { id: 2, at: 'noon', told: FACTS }],
    ['a time out of range', { id: 2, at: 1e300, told: FACTS }],
    ['no facts', { id: 2, at: NOON }],
    ['facts that are null', { id: 2, at: NOON, told: null }],
    ['a message that is a number', { id: 2, at: NOON, told: { ...FACTS, message: 7 } }],
    ['a severity of a later version', { id: 2, at: NOON, told: { ...FACTS, severity: 'fatal' } }],
  ])(
    'events/record.W3 with one that has %s shows the others, and its id is given to no other',
    async (_, what) => {
      const first = await live();
      for (const kind of ['a', 'b']) first.events.record(reported(kind));
      await first.records.stop();
      const bytes = Buffer.from(what === 'no JSON' ? '{"id":' : JSON.stringify(what));
      await first.bucket.overwrite('000000000002', bytes);
      const second = await live(first.bucket, first.clock);
      expect(second.log.said.map(({ level, fields }) => [level, fields])).toEqual([
        ['error', { key: '000000000002' }],
      ]);
      expect(second.events.record(reported('c'))).toBe(3);
      await second.records.stop();
      const shown = [second.events.events({ limit: 9 }), second.events.logs({ limit: 9 })];
      for (const list of shown) expect(list.map(({ id }) => id)).toEqual([3, 1]);
      expect(Buffer.from((await first.bucket.get('000000000002'))!.value)).toEqual(bytes);
    },
  );

  it.each([
    ['text', 'x'],
    ['null', 'null'],
    ['out of range', '1e300'],
    ['negative', '-4'],
    ['nothing', ''],
  ])('events/record.W3 whose last id is %s goes on behind every id there can have been', async (_, last) => {
    const first = await live();
    for (const kind of ['a', 'b', 'c']) first.events.record(reported(kind));
    await accepted(first.events.purge(0));
    await first.records.stop();
    await first.bucket.overwrite('last', Buffer.from(last));
    const second = await live(first.bucket, first.clock);
    expect(second.events.record(reported('d'))).toBeGreaterThan(3);
    expect(second.log.said).toMatchObject([{ level: 'error', fields: { key: 'last' } }]);
  });

  it('events/record.W3 has the id of an event from its key', async () => {
    const first = await live();
    first.events.record(reported('a'));
    await first.records.stop();
    const kept = JSON.stringify({ id: 'x', at: NOON, told: { ...FACTS, station: 'later' }, more: 1 });
    await first.bucket.overwrite('000000000001', Buffer.from(kept));
    const second = await live(first.bucket, first.clock);
    expect(second.events.record(reported('b'))).toBe(2);
    const shown = second.events.events({ limit: 9 });
    expect(shown.map(({ id }) => id)).toEqual([2, 1]);
    expect(shown.flatMap((event) => shapeFaults(BenchEvent, event))).toEqual([]);
  });

  it('keys are in the order of the ids', async () => {
    const { events, bucket, records } = await live();
    events.record(reported('a'));
    await records.stop();
    expect([...bucket.entries.keys()]).toEqual(['000000000001']);
  });

  it('events/events.V2 recording does not wait for a record that is away, which is written when it is back', async () => {
    const { events, bucket, clock } = await live();
    bucket.isAway = true;
    events.record(reported('a'));
    events.record(reported('b'));
    expect(events.events({ limit: 9 })).toHaveLength(2);
    await settled();
    bucket.isAway = false;
    await until(async () => {
      clock.advance(1_000);
      await settled();
      return bucket.entries.size === 2;
    });
  });

  it('events/events.V1 keeps the newest, in memory and in the record', async () => {
    const { events, bucket, records } = await live();
    for (let index = 0; index < BENCH_EVENTS_KEPT + 3; index += 1) events.record(reported('a'));
    expect(events.events({ limit: 100_000 })).toHaveLength(BENCH_EVENTS_KEPT);
    await until(() => bucket.entries.size === BENCH_EVENTS_KEPT && !bucket.entries.has('000000000003'));
    await records.stop();
    expect(bucket.entries.has('000000000004')).toBe(true);
  });
});

describe('a purge', () => {
  it('RB-LOG-004 removes exactly what is older, and reports how many', async () => {
    const { events, clock, bucket, records } = await live();
    events.record(reported('old'));
    clock.advance(1);
    events.record(reported('on the edge'));
    clock.advance(2 * HOUR);
    events.record(reported('new'));
    expect(await accepted(events.purge(2))).toBe(1);
    expect(events.events({ limit: 9 }).map(({ kind }) => kind)).toEqual(['new', 'on the edge']);
    expect(await accepted(events.purge(2))).toBe(0);
    expect(await accepted(events.purge(0))).toBe(2);
    await records.stop();
    expect([...bucket.entries.keys()]).toEqual(['last']);
  });

  it('RB-LOG-004 is refused while the record is away, and nothing is gone', async () => {
    const { events, bucket } = await live();
    events.record(reported('a'));
    await until(() => bucket.entries.size === 1);
    bucket.isAway = true;
    expect(await refused(events.purge(0))).toMatchObject({ code: 'unavailable', help: expect.any(String) });
    expect(events.events({ limit: 9 })).toHaveLength(1);
    bucket.isAway = false;
    expect(await accepted(events.purge(0))).toBe(1);
  });
});
