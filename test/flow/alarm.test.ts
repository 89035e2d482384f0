/**
 * Alarms of the demo mission end to end: a limit crossed by the simulated spacecraft, people who answer it, and a
 * leader that dies between its record and its event.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Alarm, AlarmEvent, AlarmList } from '../../contract/alarm.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { ROLES } from '../../supervision/role.ts';
import { call, codes, follow } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, STEADY, startMcs } from '../support/mcs.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';

const ADA = { 'x-mcs-user': 'ada' };
const PATIENTLY = { timeoutMs: 60_000 };
/** The alarm clears within, also where the machine stands still between two commands. */
const SHELVED_MS = 15_000;
const VOLTAGE = '/v1/alarms/sat1/battery%5B1%5D.voltage';
/** The spacecraft flies at 7.9 V, loses 0.06 V a second of its first battery, and regains 0.12 V. */
const LIMITS = 'limits: { soft: [7.8 V, 8.3 V], hard: [5.0 V, 8.5 V] }';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-alarm-'));
  await cp(DEMO, folder, { recursive: true });
  const file = join(folder, 'cubesat-6u.yaml');
  const text = await readFile(file, 'utf8');
  const narrow = text.replace('limits: { soft: [6.8 V, 8.3 V], hard: [6.4 V, 8.5 V] }', LIMITS);
  expect(narrow).not.toBe(text);
  await writeFile(file, narrow);
});
afterAll(async () => {
  await endAllMcs();
  await rm(folder, { recursive: true, force: true });
});

const events = (api: string) => follow<AlarmEvent>(`${api}/v1/alarms/watch?target=sat1`);

async function listed(api: string, query = ''): Promise<Alarm[]> {
  const { body } = await call<AlarmList>('GET', `${api}/v1/alarms${query}`);
  return body.alarms.filter(({ target }) => target === 'sat1');
}

async function command(api: string, action: string, body?: unknown): Promise<[number, string[]]> {
  const answer = await call('POST', `${api}${VOLTAGE}/${action}`, body, ADA);
  return [answer.status, answer.status === 202 ? [] : codes(answer)];
}

/** The transitions of the voltage of the first battery, as the watch has reported them. */
const voltageOf = (messages: readonly AlarmEvent[]): AlarmEvent[] =>
  messages.filter(
    ({ component, instance, alarm }) => `${component}.${instance}.${alarm}` === 'battery.1.voltage',
  );

describe('alarms of a mission that flies', () => {
  let cell: DemoCell;
  beforeAll(async () => {
    cell = await startDemoCell({ folder });
  }, 60_000);
  afterAll(() => cell.stop());

  it('MC-ALM-047 MC-ALM-048 MC-ALM-049 MC-ALM-050 MC-MET-001 raises, is acknowledged, shelved through its term and clears', async () => {
    const watch = events(cell.api);
    await watch.opened;
    expect(await listed(cell.api)).toEqual([]);
    expect(await command(cell.api, 'acknowledge')).toEqual([409, ['alarm::refused']]);

    await cell.fault('cell_drain', true);
    const received = () => voltageOf(watch.messages);
    await until(() => received().length === 1, { ...PATIENTLY, what: 'the alarm' });
    expect(received()[0]).toMatchObject({
      target: 'sat1',
      component: 'battery',
      instance: '1',
      alarm: 'voltage',
      seq: 1,
      previous: 'NORMAL',
      state: 'ACTIVE_UNACK',
      severity: 'warning',
      cause: 'condition',
    });
    expect(received()[0]!.value).toBeLessThan(7.8);
    expect((await listed(cell.api)).map(({ record: { state } }) => state)).toEqual(['ACTIVE_UNACK']);

    expect(await command(cell.api, 'acknowledge')).toEqual([202, []]);
    expect(await command(cell.api, 'acknowledge')).toEqual([409, ['alarm::refused']]);
    expect(await command(cell.api, 'unshelve')).toEqual([409, ['alarm::refused']]);
    expect(await command(cell.api, 'shelve', { for: '8.0001 h' })).toEqual([409, ['alarm::refused']]);
    expect(await command(cell.api, 'shelve', { for: '0 s' })).toEqual([409, ['alarm::refused']]);
    expect(await command(cell.api, 'shelve', { for: '1 h' })).toEqual([202, []]);
    expect(await command(cell.api, 'shelve', { for: `${SHELVED_MS / 1_000} s` })).toEqual([202, []]);
    await cell.fault('cell_drain', false);
    await until(() => received().length === 6, { ...PATIENTLY, what: 'the end of the shelving' });

    const reported = received();
    expect(reported.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    const [, acknowledged, long, short, cleared, over] = reported;
    expect(acknowledged).toMatchObject({ state: 'ACTIVE_ACK', cause: 'acknowledged', by: 'ada' });
    expect(long).toMatchObject({ state: 'ACTIVE_ACK', cause: 'shelved', by: 'ada' });
    expect(short).toMatchObject({ state: 'ACTIVE_ACK', cause: 'shelved', by: 'ada' });
    const shelvedUntil = Date.parse(short!.shelved_until!);
    expect(shelvedUntil - Date.parse(short!.at)).toBe(SHELVED_MS);
    expect(Date.parse(long!.shelved_until!)).toBeGreaterThan(shelvedUntil);
    expect(cleared).toMatchObject({
      state: 'NORMAL',
      cause: 'condition',
      shelved_until: short!.shelved_until,
    });
    expect(over).toMatchObject({ state: 'NORMAL', previous: 'NORMAL', cause: 'unshelved' });
    expect(over).not.toHaveProperty('by');
    expect(over).not.toHaveProperty('shelved_until');
    expect(Date.parse(over!.at)).toBeGreaterThanOrEqual(shelvedUntil);

    expect(await listed(cell.api)).toEqual([]);
    const [record] = (await listed(cell.api, '?all=true&target=sat1')).filter(
      ({ alarm }) => alarm === 'voltage',
    );
    expect(record).toMatchObject({ instance: '1', record: { state: 'NORMAL', seq: 6, cause: 'unshelved' } });
    watch.close();
    const metrics = await (await fetch(`${cell.api}/metrics`)).text();
    expect(metrics).toContain('mcs_alarms_transitions_total{state="ACTIVE_ACK",cause="shelved"} 2');
    expect(metrics).toContain('mcs_alarms_transitions_total{state="NORMAL",cause="unshelved"} 1');
  }, 240_000);
});

describe('an alarm service that dies', () => {
  let cell: DemoCell;
  beforeAll(async () => {
    cell = await startDemoCell({ folder, roles: ROLES.filter((role) => role !== 'alarms') });
  }, 60_000);
  afterAll(() => cell.stop());

  const alarms = (env: Record<string, string> = {}) =>
    startMcs({
      args: [
        'serve',
        '--roles',
        'alarms',
        '--nats',
        cell.nats.url,
        '--credentials',
        cell.nats.credentialsFile,
      ],
      env: { ...STEADY, ...env },
    });
  const leaderTtlMs = 10_000;

  it('MC-ALM-041 is missed: 503 alarm::no-service', async () => {
    expect(await command(cell.api, 'acknowledge')).toEqual([503, ['alarm::no-service']]);
  });

  it('MC-ALM-053 MC-ALM-055 MC-ALM-056 MC-BUS-003 MC-LIM-014 between its record and its event: the standby reports it once, within the time to live', async () => {
    const mortal = await alarms({ MCS_FAILPOINT: 'alarm:written ACTIVE_UNACK' });
    const heir = await alarms();
    const watch = events(cell.api);
    await watch.opened;
    await cell.fault('cell_drain', true);
    expect((await mortal.exited).signal).toBe('SIGKILL');
    const sinceDeath = ownTime();
    const key = 'sat1.battery.1.voltage';
    const entry = await cell.bus.bucket(buckets.alarms).get(key);
    const record = JSON.parse(Buffer.from(entry!.value).toString());
    expect(record).toMatchObject({ state: 'ACTIVE_UNACK', seq: 1 });

    const arrived = () => voltageOf(watch.messages);
    await until(() => arrived().length > 0, { ...PATIENTLY, what: 'the event of a dead leader' });
    expect(sinceDeath()).toBeLessThan(leaderTtlMs);
    expect(arrived()[0]).toMatchObject({ state: 'ACTIVE_UNACK', seq: 1, at: record.changed_at });

    // Of one whose answer was lost the event says that it counts.
    await until(async () => (await command(cell.api, 'acknowledge'))[0] === 202 || arrived().length > 1, {
      what: 'the standby',
    });
    await cell.fault('cell_drain', false);
    await until(() => arrived().length === 3, { ...PATIENTLY, what: 'the end of the alarm' });
    expect(arrived().map(({ seq, state }) => [seq, state])).toEqual([
      [1, 'ACTIVE_UNACK'],
      [2, 'ACTIVE_ACK'],
      [3, 'NORMAL'],
    ]);
    const stored: number[] = [];
    const about = subject.alarmEvent({
      target: 'sat1',
      component: 'battery',
      instance: '1',
      alarm: 'voltage',
    });
    const follower = await cell.bus.follow(streams.alarms, about, { from: 'start' }, ({ data }) => {
      stored.push((JSON.parse(Buffer.from(data).toString()) as AlarmEvent).seq);
    });
    await follower.caughtUp;
    await follower.stop();
    expect(stored).toEqual([1, 2, 3]);
    // The stream knows each of them by its id: another one of the same id is none.
    for (const seq of stored) {
      const id = `sat1.battery.1.voltage-${seq}`;
      const again = await cell.bus.append(streams.alarms, about, Buffer.from('{}'), { id });
      expect(again.outcome).toBe('duplicate');
    }
    watch.close();
    await heir.kill('SIGTERM');
  }, 240_000);
});
