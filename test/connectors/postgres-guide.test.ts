/** Every question of the guide, asked of a server that holds what the connector stored. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyStatement, schemaFaults, WRITTEN_COLUMNS } from '../../connectors/postgres/schema.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { noPostgres, type RealPostgres, startPostgres } from '../support/real-postgres.ts';
import { type Connected, connect } from './postgres-world.ts';
import { batchOf, blockOf, demoPlatform, publishValues } from './world.ts';

const GUIDE = readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
const absent = noPostgres();
const mission = demoMission();
const platform = demoPlatform(mission);
const ordinal = (key: string): number => platform.ordinal(key)!;

/** By the line above them. */
const questions = new Map(
  [...GUIDE.matchAll(/\n([^\n]+):\n\n```sql\n([^`]+)```/g)].map(([, title, sql]) => [title!, sql!]),
);

let postgres: RealPostgres;
let nats: TestNats;
let connected: Connected;

beforeAll(async () => {
  if (absent !== undefined) return;
  [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  const bus = await nats.connected();
  const now = Date.now();
  const minutes = [30, 20, 10];
  const rows = minutes.map((ago, n) => ({
    ground: now - ago * 60_000,
    cells: [n % 3, 10 + n, 7_000 + n],
    values: [n % 3, 10 + n, 7 + n / 1_000],
  }));
  const ordinals = ['obc.mode', 'obc.watchdog', 'battery[1].voltage'].map(ordinal);
  await publishValues(bus, mission, 'sat1', batchOf(platform.digest, [blockOf(ordinals, rows)]));
  const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
  const at = (ago: number): string => new Date(now - ago).toISOString();
  const alarm = {
    target: 'sat1',
    component: 'battery',
    instance: '1',
    alarm: 'voltage',
    severity: 'critical',
  };
  const raised = { previous: 'NORMAL', state: 'ACTIVE_UNACK', seq: 1, at: at(60), cause: 'condition' };
  const known = {
    previous: 'ACTIVE_UNACK',
    state: 'ACTIVE_ACK',
    seq: 2,
    at: at(20),
    cause: 'acknowledged',
    by: 'ada',
  };
  for (const event of [raised, known])
    await bus.append(streams.alarms, subject.alarmEvent(alarm), json(Object.assign({}, alarm, event)));
  const tc = '01JGZZZZZZZZZZZZZZZZZZZZZZ';
  const telecommand = { component: 'obc', telecommand: 'set_watchdog' };
  const sent = { tc, state: 'PENDING', at: at(15 * 60_000), telecommand, by: 'ada' };
  await bus.append(streams.telecommandEvents, subject.tcEvent('sat1', tc), json(sent));
  const options = { missions: new TestMissions(mission) };
  connected = connect(bus, { url: postgres.url, schema: 'mcs' }, options);
  await connected.stored(12);
}, 60_000);

afterAll(async () => {
  await connected?.connector.stop();
  await postgres?.stop();
  await nats?.stop();
});

async function asked(title: string): Promise<Record<string, unknown>[]> {
  const sql = questions.get(title);
  if (sql === undefined) throw new Error(`the guide has no question "${title}"`);
  questions.delete(title);
  return postgres.query(sql, undefined, 'public');
}

describe.skipIf(absent !== undefined)(
  `the guide of PostgreSQL${absent === undefined ? '' : `: ${absent}`}`,
  () => {
    it('the last hour of a measure, by minute', async () => {
      const minutes = await asked('The last hour of a measure, by minute');
      expect(minutes.map(({ mean, count }) => [mean, count])).toEqual([
        [7, '1'],
        [7.001, '1'],
        [7.002, '1'],
      ]);
    });

    it('everything at a moment', async () => {
      const values = await asked('What every measure of a target was at a moment');
      const labels = platform.measures[ordinal('obc.mode')]!.definition.enumeration!;
      expect(values.map(({ name, number, text }) => [name, number, text])).toEqual([
        ['battery[1].voltage', 7.002, null],
        ['obc.mode', 2, labels.nameOf(2) ?? null],
        ['obc.watchdog', 12, null],
      ]);
    });

    it('two measures, alarms, telecommands', async () => {
      const beside = await asked('Two measures beside each other, each time with the newest of the other');
      expect(beside.map(({ voltage }) => voltage)).toEqual([7, 7.001, 7.002]);
      const alarms = await asked(
        'Alarms that were critical today, and how long each lasted until it was acknowledged',
      );
      // Behind midnight the alarm may be of yesterday.
      const isToday = new Date(Date.now() - 60_000).getUTCDate() === new Date().getUTCDate();
      expect(alarms.map(({ alarm, by }) => [alarm, by])).toEqual(isToday ? [['voltage', 'ada']] : alarms);
      expect(await asked('Telecommands that changed a value, with the last it had before')).toMatchObject([
        { telecommand: 'set_watchdog', by: 'ada', before: 11 },
      ]);
      expect([...questions.keys()]).toEqual([]);
    });

    it('a question for one measure reads its index, of the days it is about', async () => {
      const plan = await postgres.query<Record<string, string>>(
        `explain (costs off) select avg(number) from samples where target = 'sat1' and measure = 'obc.mode'
       and time between '2026-03-01' and '2026-03-01 12:00'`,
      );
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      // A day without rows has no table; the one for all other days is looked at.
      expect(text.match(/sample_rows_\w+ s/g)).toEqual(['sample_rows_other s']);
    });
  },
);

describe('tables', () => {
  it('the guide names every table that is written, and what is missing of one is said', () => {
    const inside = ['contexts', 'sample_rows'];
    for (const table of Object.keys(WRITTEN_COLUMNS)) expect(GUIDE).toContain(`\`${table}\``);
    expect(inside.every((table) => GUIDE.includes(table))).toBe(true);
    const found = Object.entries(WRITTEN_COLUMNS).flatMap(([table, columns]) =>
      columns.split(', ').map((each) => {
        const [column, type] = each.split(' ') as [string, string];
        return { table, column, type };
      }),
    );
    expect(schemaFaults(found)).toEqual([]);
    const changed = found
      .filter(({ column }) => column !== 'exact')
      .map((each) => (each.column === 'raw' ? Object.assign({}, each, { type: 'float4' }) : each));
    expect(schemaFaults(changed)).toEqual([
      'column "raw" of table sample_rows is float4 and must be float8',
      'column "exact" of table sample_rows is missing (alter table sample_rows add column "exact" numeric)',
    ]);
    expect(copyStatement('mcs', 'contexts')).toBe(
      'copy "mcs"."contexts" ("link", "delivery", "superseded") from stdin (format binary)',
    );
  });
});
