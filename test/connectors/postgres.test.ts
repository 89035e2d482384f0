/** The connector to PostgreSQL on a real bus and a real server. Decision 48; Mission Control Service, section 2.11. */

import { connect as connectNats, jwtAuthenticator } from 'nats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { MIGRATIONS } from '../../connectors/postgres/schema.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Clock } from '../../ports/clock.ts';
import { realClock } from '../../supervision/clock.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { noPostgres, type RealPostgres, startPostgres } from '../support/real-postgres.ts';
import { until } from '../support/until.ts';
import { CHARGE, type Connected, connect, MISSION, ORDINALS, PLATFORM } from './postgres-world.ts';
import { batchOf, blockOf, HOUR, publishValues } from './world.ts';

const absent = noPostgres();
let postgres: RealPostgres;
let nats: TestNats;
let bus: NatsBus;
let schemas = 0;
const connected: Connected[] = [];

beforeAll(async () => {
  if (absent === undefined) postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres?.stop();
});

beforeEach(async () => {
  if (absent !== undefined) return;
  nats = await startNats();
  bus = await nats.connected();
  schemas += 1;
});

afterEach(async () => {
  for (const each of connected.splice(0)) await each.connector.stop();
  await nats?.stop();
});

function begin(more: Parameters<typeof connect>[2] = {}): Connected {
  const begun = connect(bus, { url: postgres.url, schema: `test${schemas}` }, more);
  connected.push(begun);
  return begun;
}

async function end(which: Connected): Promise<void> {
  connected.splice(connected.indexOf(which), 1);
  await which.connector.stop();
}

const query = <Row extends object>(sql: string): Promise<Row[]> =>
  postgres.query<Row>(sql, undefined, `test${schemas}`);

/** Numbers in the first column of that measure, one a message. */
async function publishNumbers(first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1)
    await publishValues(
      bus,
      MISSION,
      'sat1',
      batchOf(PLATFORM.digest, [blockOf([2], [{ ground: HOUR + number, cells: [number] }])]),
    );
}

const numbers = async (): Promise<number[]> =>
  (
    await query<{ number: number }>(`select number from samples where measure = 'power.u8' order by time`)
  ).map(({ number }) => number);

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** What an operator of the bus does with a stream. */
async function manage(work: (manager: import('nats').JetStreamManager) => Promise<unknown>): Promise<void> {
  const { jwt, seed } = nats.credentials;
  const connection = await connectNats({
    servers: nats.url,
    authenticator: jwtAuthenticator(jwt, Buffer.from(seed)),
  });
  await work(await connection.jetstreamManager());
  await connection.close();
}

describe.skipIf(absent !== undefined)(
  `connector to PostgreSQL${absent === undefined ? '' : `: ${absent}`}`,
  () => {
    it('MC-CONN-003 stores every kind of value bit for bit, with both times and the delivery', async () => {
      const rows = [
        {
          ground: HOUR,
          onboard: HOUR - 5_000.25,
          cells: [Number.NaN, -0, 255, -(2n ** 63n), 2n ** 64n - 1n, 1, 'a\tb\\N\n\0ü', '00ff', 7, 3_700],
          values: [Number.NaN, -0, 255, Number.NaN, Number.NaN, 1, Number.NaN, Number.NaN, 7, 3.7],
        },
        {
          ground: HOUR + 1,
          cells: [
            Number.NEGATIVE_INFINITY,
            5e-324,
            Number.NaN,
            12,
            2 ** 53 - 1,
            0,
            Number.NaN,
            Number.NaN,
            3,
            1,
          ],
        },
      ];
      const block = blockOf(ORDINALS, rows);
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [block]));
      const second = blockOf([0], [{ ground: HOUR + 2, cells: [1.5] }], { superseded: Uint32Array.of(0) });
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [second], { deferred: true }));
      const strange = blockOf([40], [{ ground: HOUR + 3, cells: [4] }]);
      await publishValues(bus, MISSION, 'sat2', batchOf('nobody-knows', [strange], { link: 'sband' }));
      const files = [{ file: '7', ground: HOUR + 4, onboard: Number.NaN, size: 9, checksum: 'ab01' }];
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [], { files }));
      await begin().stored(24);
      const stored = await query<Record<string, unknown>>(
        `select measure, target, link, delivery, superseded, number::text, integer::text, "boolean", text, raw::text, unit,
         to_char(time at time zone 'UTC', 'HH24:MI:SS.US') as time,
         to_char(ground_time at time zone 'UTC', 'HH24:MI:SS.US') as ground
       from samples order by ground_time, measure collate "C"`,
      );
      const said = stored.map(({ measure, number, integer, boolean, text }) => [
        measure,
        number,
        integer,
        boolean,
        text,
      ]);
      expect(said).toEqual([
        ['power.bool', '1', null, true, null],
        ['power.bytes', null, null, null, '00ff'],
        ['power.f32', '-0', null, null, null],
        ['power.f64', 'NaN', null, null, null],
        ['power.i64', '-9.223372036854776e+18', '-9223372036854775808', null, null],
        ['power.mode', '7', null, null, 'BOOT'],
        ['power.string', null, null, null, 'a\tb\\N\n␀ü'],
        ['power.u16', '3.7', null, null, null],
        ['power.u64', '1.8446744073709552e+19', '18446744073709551615', null, null],
        ['power.u8', '255', '255', null, null],
        ['power.bool', '0', null, false, null],
        ['power.bytes', null, null, null, null],
        ['power.f32', '5e-324', null, null, null],
        ['power.f64', '-Infinity', null, null, null],
        ['power.i64', '12', '12', null, null],
        ['power.mode', '3', null, null, null],
        ['power.string', null, null, null, null],
        ['power.u16', '1', '1', null, null],
        ['power.u64', '9.007199254740991e+15', '9007199254740991', null, null],
        ['power.u8', null, null, null, null],
        ['power.f64', '1.5', null, null, null],
        ['#40', '4', null, null, null],
        ['storage[7].checksum', null, null, null, 'ab01'],
        ['storage[7].size', '9', '9', null, null],
      ]);
      const at = (n: number) => {
        const { time, ground, delivery, superseded, raw, target, link, unit } = stored[n]!;
        return [time, ground, delivery, superseded, raw, target, link, unit];
      };
      expect(at(7)).toEqual([
        '02:59:54.999750',
        '03:00:00.000000',
        'realtime',
        false,
        '3700',
        'sat1',
        'uhf',
        'V',
      ]);
      expect(at(20)).toEqual([
        '03:00:00.002000',
        '03:00:00.002000',
        'deferred',
        true,
        '1.5',
        'sat1',
        'uhf',
        null,
      ]);
      expect(at(21)).toEqual([
        '03:00:00.003000',
        '03:00:00.003000',
        'realtime',
        false,
        '4',
        'sat2',
        'sband',
        null,
      ]);
    });

    it('sample-rows.X4 an integer that no double holds is no value of a calibrated measure', async () => {
      const large = 2n ** 64n - 1n;
      const rows = [
        { ground: HOUR, cells: [large, large] },
        { ground: HOUR + 1, cells: [String(-large), String(-large)] },
        { ground: HOUR + 2, cells: [7, 7_000], values: [7, 7] },
        { ground: HOUR + 3, cells: ['no digits', Number.NaN] },
      ];
      const block = blockOf([4, CHARGE], rows);
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [block]));
      // Text stays text, also where it is made of digits; of a boolean it is no value either.
      const others = blockOf([6, 5], [{ ground: HOUR + 4, cells: ['0042', large] }]);
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [others]));
      await begin().stored(10);
      const stored = await query<Record<string, unknown>>(
        `select v.measure, v.number::text, v.integer::text, v.boolean, v.text, v.raw::text, s.exact::text
         from samples v join measures m on m.name = v.measure
         join sample_rows s on s.measure = m.id and s.time = v.time order by v.time, v.measure`,
      );
      expect(stored.map((row) => Object.values(row))).toEqual([
        ['power.charge', null, null, null, null, '1.8446744073709552e+19', String(large)],
        [
          'power.u64',
          '1.8446744073709552e+19',
          String(large),
          null,
          null,
          '1.8446744073709552e+19',
          String(large),
        ],
        ['power.charge', null, null, null, null, '-1.8446744073709552e+19', String(-large)],
        [
          'power.u64',
          '-1.8446744073709552e+19',
          String(-large),
          null,
          null,
          '-1.8446744073709552e+19',
          String(-large),
        ],
        ['power.charge', '7', '7', null, null, '7000', null],
        ['power.u64', '7', '7', null, null, '7', null],
        ['power.charge', 'NaN', null, null, null, 'NaN', null],
        ['power.u64', null, null, null, 'no digits', null, null],
        ['power.bool', null, null, null, null, '1.8446744073709552e+19', String(large)],
        ['power.string', null, null, null, '0042', null, null],
      ]);
    });

    it('schema.A1 a schema of the first version is brought up to date, and views that others made of it stay', async () => {
      await query(`create schema test${schemas}`);
      await query(`create table schema_version (version integer not null)`);
      await query(`begin; ${MIGRATIONS[0]} insert into schema_version values (1); commit`);
      await query('create view theirs as select measure, number, integer from samples');
      const block = blockOf([CHARGE], [{ ground: HOUR, cells: [2n ** 64n - 1n] }]);
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [block]));
      await begin().stored(1);
      expect(await query('select * from theirs')).toEqual([
        { measure: 'power.charge', number: null, integer: null },
      ]);
      expect(await query('select version from schema_version')).toEqual([{ version: MIGRATIONS.length }]);
    });

    it('MC-CONN-004 stores events of alarms, telecommands and runs, and keeps apart what cannot be read', async () => {
      const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
      const alarm = { target: 'sat1', component: 'battery', instance: '1', alarm: 'voltage' };
      const event = {
        previous: 'NORMAL',
        state: 'ACTIVE_UNACK',
        severity: 'warning',
        value: 'a\0b\ud800',
        seq: 1,
        at: '2026-01-02T03:04:05.678Z',
        cause: 'condition',
      };
      await bus.append(streams.alarms, subject.alarmEvent(alarm), json({ ...alarm, ...event }));
      await bus.append(streams.alarms, subject.alarmEvent(alarm), json({ ...event, target: 3 }));
      await bus.append(
        streams.alarms,
        subject.alarmEvent(alarm),
        json({ ...alarm, ...event, seq: 2, by: 'ada' }),
      );
      const tc = '01JGZZZZZZZZZZZZZZZZZZZZZZ';
      const telecommand = { component: 'obc', telecommand: 'set_watchdog' };
      await bus.append(
        streams.telecommandEvents,
        subject.tcEvent('sat1', tc),
        json({ tc, state: 'PENDING', at: event.at, telecommand, by: 'ada' }),
      );
      await bus.append(
        streams.runs,
        subject.runEvents('run1'),
        json({ run: 'run1', seq: 1, at: event.at, event: 'finished', ok: true, reason: { 'a\0': ['\0'] } }),
      );
      await bus.append(streams.values, subject.values('sat1'), Buffer.from('no batch'));
      await publishNumbers(1, 1);
      const { connector, stored, log } = begin();
      await stored(5);
      await until(() => connector.status.unreadable === 2);
      expect(
        await query('select instance, alarm, seq::int, state, value, by from alarm_events order by seq'),
      ).toEqual([
        { instance: '1', alarm: 'voltage', seq: 1, state: 'ACTIVE_UNACK', value: 'a␀b\ufffd', by: null },
        { instance: '1', alarm: 'voltage', seq: 2, state: 'ACTIVE_UNACK', value: 'a␀b\ufffd', by: 'ada' },
      ]);
      expect(
        await query('select tc, target, state, component, telecommand, by from telecommand_events'),
      ).toEqual([
        { tc, target: 'sat1', state: 'PENDING', component: 'obc', telecommand: 'set_watchdog', by: 'ada' },
      ]);
      expect(await query('select run, event, body from run_events')).toEqual([
        { run: 'run1', event: 'finished', body: { ok: true, reason: { 'a␀': ['␀'] } } },
      ]);
      const apart = await query<{ stream: string; data: Buffer }>(
        'select stream, position::int, data from unreadable order by stream',
      );
      expect(apart.map(({ stream, data }) => [stream, data.toString().slice(0, 8)])).toEqual([
        ['ALARMS', '{"previo'],
        ['TM_VALUES', 'no batch'],
      ]);
      expect(await numbers()).toEqual([1]);
      expect(log.said.filter(({ message }) => /cannot be read/.test(message))).toHaveLength(2);
    });

    it('MC-CONN-003 stores what a stream had discarded as a gap, and goes on with one that was made again', async () => {
      await publishNumbers(1, 3);
      const first = begin();
      await first.stored(3);
      await end(first);
      await publishNumbers(4, 9);
      // Up to and without position 8.
      await manage((manager) => manager.streams.purge('TM_VALUES', { seq: 8 }));
      const second = begin();
      await second.stored(2);
      expect(second.connector.status.lost.get('TM_VALUES')?.messages).toBe(4);
      await end(second);
      await manage((manager) => manager.streams.delete('TM_VALUES'));
      const third = begin();
      await until(() => third.connector.status.phase === 'writing');
      await publishNumbers(10, 12);
      await third.stored(3);
      // And while it reads.
      await manage((manager) => manager.streams.delete('TM_VALUES'));
      await nats.kill();
      await nats.start();
      await until(() => bus.connected);
      await publishNumbers(13, 15);
      await third.stored(6);
      expect(await numbers()).toEqual([1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15]);
      const gaps = await query<{ kind: string; first: number; last: number }>(
        'select kind, first::int, last::int from gaps order by id',
      );
      expect(gaps).toEqual([
        { kind: 'discarded', first: 4, last: 7 },
        { kind: 'made-again', first: null, last: null },
        { kind: 'made-again', first: null, last: null },
      ]);
      const [position] = await query<{ position: string; identity: string }>(
        `select position, identity from positions where stream = 'TM_VALUES'`,
      );
      expect(position).toEqual({ position: '3', identity: (await bus.levels.stream('TM_VALUES'))?.identity });
    });

    it('one instance writes; the next takes over where it ended, and an earlier one can write no more', async () => {
      await publishNumbers(1, 5);
      const first = begin();
      await first.stored(5);
      const second = begin();
      await until(() => second.connector.status.phase === 'standby');
      // A server that took the first one for dead: its lock is gone, and somebody else has the positions.
      await query(
        `update positions set writer = writer + 1, position = 5 where stream = 'TM_VALUES' returning 1`,
      );
      await publishNumbers(6, 10);
      await until(() =>
        [first, second].some(({ connector }) => connector.status.rows >= 5 && !isBehind(connector)),
      );
      await until(async () => (await numbers()).length >= 10);
      const writer = first.connector.status.phase === 'writing' ? first : second;
      await end(writer);
      await publishNumbers(11, 15);
      await until(async () => (await numbers()).length >= 15);
      expect(await numbers()).toEqual(range(1, 15));
      const failures = [first, second].flatMap(({ log }) =>
        log.said.filter(({ level }) => level === 'error'),
      );
      expect(failures).toEqual([]);
    });

    it('tables that were altered: says what is wrong and how to put it back, and goes on by itself', async () => {
      await publishNumbers(1, 5);
      const { connector, stored, log } = begin();
      await stored(5);
      await query('alter table sample_rows add constraint small check (number < 6)');
      await publishNumbers(6, 8);
      await until(() => connector.status.trouble !== undefined);
      expect(connector.status.trouble).toMatchObject({
        kind: 'altered',
        message: expect.stringMatching(/check constraint "small".*goes on by itself/),
      });
      await query('alter table sample_rows drop constraint small');
      await stored(8);
      expect(connector.status.trouble).toBeUndefined();
      await query('alter table alarm_events drop column severity');
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'mcs%'`,
      );
      await until(() => connector.status.trouble?.kind === 'altered');
      expect(connector.status.trouble?.message).toContain(
        'column "severity" of table alarm_events is missing (alter table alarm_events add column "severity" text)',
      );
      await query('alter table alarm_events add column "severity" text');
      await publishNumbers(9, 9);
      await stored(9);
      expect(await numbers()).toEqual(range(1, 9));
      expect(log.said.some(({ message }) => message.includes('goes on by itself'))).toBe(true);
    });

    it('drops days that are kept no longer, and takes times that no clock has', async () => {
      const day = 86_400_000;
      // Noon, so that the days stay the same while the test runs.
      const today = Math.floor(Date.now() / day) * day + day / 2;
      const clock: Clock = Object.assign({}, realClock, { now: () => today });
      const cells = [1];
      const times = [today, today - 2 * day, today - 5 * day, 1, Date.UTC(9998, 1, 1)];
      const rows = times.map((onboard) => ({ ground: today, onboard, cells }));
      await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [blockOf([2], rows)]));
      const all = begin({ clock });
      await all.stored(5);
      const partitions = async (): Promise<number> =>
        (await query(`select 1 from pg_inherits where inhparent = 'sample_rows'::regclass`)).length;
      // Those days, tomorrow, and that of all others.
      expect(await partitions()).toBe(5);
      expect(await query('select count(*)::int from sample_rows_other')).toEqual([{ count: 2 }]);
      await end(all);
      const few = begin({ clock, keepDays: 3 });
      await publishNumbers(1, 1);
      await few.stored(1);
      // The row of long ago is dropped too: it was received as long ago.
      const count = async () =>
        (await query<{ count: number }>('select count(*)::int from sample_rows'))[0]!.count;
      await until(async () => (await count()) === 4);
      expect(await partitions()).toBe(4);
    });

    it('stores the targets that were asked for', async () => {
      const block = () => blockOf([2], [{ ground: HOUR, cells: [1] }]);
      for (const target of ['sat1', 'sat2', 'sat3'])
        await publishValues(bus, MISSION, target, batchOf(PLATFORM.digest, [block()]));
      const { connector } = begin({ targets: ['sat2'] });
      await until(() => connector.status.positions.get('TM_VALUES') === 3);
      expect(await query('select distinct target from samples')).toEqual([{ target: 'sat2' }]);
    });
  },
);

function isBehind({ status }: Connected['connector']): boolean {
  return (status.positions.get('TM_VALUES') ?? 0) < 10;
}
