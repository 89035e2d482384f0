/** `mcs alarm` as a person uses it, against a front end with records and an alarm service of the test. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { eventLine, listLines } from '../../cli/alarm-line.ts';
import type { Alarm, AlarmCall, AlarmEvent, AlarmRecord, AlarmReply } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey } from '../../contract/alarm-name.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { storedAlarmBytes } from '../../contract/stored-alarm.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { mcsProgram } from '../support/program.ts';
import { startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
const AT = '2026-01-02T03:04:05.678Z';
const VOLTAGE: AlarmName = { target: 'sat1', component: 'battery', instance: '1', alarm: 'voltage' };
const REBOOT: AlarmName = { target: 'sat1', component: 'obc', alarm: 'unexpected_reboot' };
const ACTIVE: AlarmRecord = {
  previous: 'NORMAL',
  state: 'ACTIVE_UNACK',
  severity: 'critical',
  seq: 1,
  cause: 'condition',
  value: 5.912345678,
  active_since: AT,
  changed_at: AT,
};
/** A command of its own process starts slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 45_000 };
const ESCAPE = String.fromCharCode(27);

let nats: TestNats;
let cell: DemoCell;
let bus: NatsBus;
let reply: AlarmReply = { outcome: 'accepted' };
const calls: AlarmCall[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  nats = await startNats();
  cell = await startDemoCell({ roles: ['api'], nats });
  bus = await nats.connected();
  bus.serve(subject.alarmControls, async ({ data }) => {
    calls.push(JSON.parse(Buffer.from(data).toString()) as AlarmCall);
    return Buffer.from(JSON.stringify(reply));
  });
});
afterAll(async () => {
  await cell.stop();
  await nats.stop();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function record(name: AlarmName, content: AlarmRecord, announced = true): Promise<void> {
  const { active_since: _, changed_at: at = AT, cause = 'condition', ...standing } = content;
  const stored = { record: content, epoch: 1, evaluated: { position: 1, at: 1 } };
  await bus.bucket(buckets.alarms).overwrite(alarmKey(name), storedAlarmBytes(stored));
  if (!announced) return;
  const event: AlarmEvent = { ...name, ...standing, at, cause };
  const data = Buffer.from(JSON.stringify(event));
  await bus.append(streams.alarms, subject.alarmEvent(name), data, {
    id: `${alarmKey(name)}-${content.seq}`,
  });
}

function start(...args: string[]) {
  const child = spawn(process.execPath, [...MCS, 'alarm', ...args], {
    env: { ...process.env, MCS_API: cell.api, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const said = { output: '', errors: '' };
  child.stdout!.on('data', (text) => {
    said.output += String(text);
  });
  child.stderr!.on('data', (text) => {
    said.errors += String(text);
  });
  return { child, said };
}

async function mcs(...args: string[]) {
  const { child, said } = start(...args);
  const [code] = await once(child, 'close');
  return { ...said, code: code as number | null };
}

describe('mcs alarm', { timeout: 90_000 }, () => {
  it('says when there is nothing to see', async () => {
    const { output, errors, code } = await mcs('list');
    expect({ output, errors, code }).toEqual({
      output: '',
      errors: 'no alarms: everything is normal and nothing is shelved\n',
      code: 0,
    });
  });

  it('lists what needs somebody first, in columns', async () => {
    await record(
      VOLTAGE,
      { ...ACTIVE, state: 'ACTIVE_ACK', seq: 2, by: 'ada', cause: 'acknowledged' },
      false,
    );
    await record(REBOOT, { ...ACTIVE, state: 'CLEARED_UNACK', severity: 'warning', seq: 2 }, false);
    const normal: AlarmRecord = { previous: 'NORMAL', state: 'NORMAL', seq: 4, changed_at: AT };
    await record({ ...VOLTAGE, instance: '2' }, normal, false);
    const { output, code } = await mcs('list', 'sat1');
    expect(code).toBe(0);
    expect(output).toBe(
      '~   warning   CLEARED_UNACK  sat1 obc.unexpected_reboot  5.912346  since 2026-01-02 03:04:05Z\n' +
        '!!  critical  ACTIVE_ACK     sat1 battery[1].voltage     5.912346  since 2026-01-02 03:04:05Z, acknowledged by ada\n',
    );
    expect((await mcs('list', '--all')).output.split('\n')).toHaveLength(4);
  });

  it('MC-ALM-033 MC-ALM-034 MC-ALM-035 acknowledges, shelves and unshelves in the name of whoever calls', async () => {
    reply = { outcome: 'accepted' };
    const name = 'battery[1].voltage';
    expect(await mcs('ack', 'sat1', name)).toMatchObject({ output: `sat1 ${name} acknowledged\n`, code: 0 });
    expect(await mcs('shelve', 'sat1', name, '30', 'min')).toMatchObject({
      output: `sat1 ${name} shelved for 30 min\n`,
      code: 0,
    });
    expect(await mcs('unshelve', 'sat1', name)).toMatchObject({
      output: `sat1 ${name} unshelved\n`,
      code: 0,
    });
    const alarm = { component: 'battery', instance: '1', alarm: 'voltage' };
    expect(calls).toEqual([
      { alarm, by: 'ada', action: 'acknowledge' },
      { alarm, by: 'ada', action: 'shelve', forMs: 1_800_000 },
      { alarm, by: 'ada', action: 'unshelve' },
    ]);
  });

  it('prints what is refused as the service says it, and exits 1', async () => {
    reply = { outcome: 'refused', reason: 'sat1 obc.mode: nothing to acknowledge' };
    const refused = await mcs('ack', 'sat1', 'obc.mode');
    expect(refused).toEqual({
      output: '',
      code: 1,
      errors: 'alarm::refused: sat1 obc.mode: nothing to acknowledge\n',
    });
    const wrong = await mcs('ack', 'sat1', 'mode');
    expect(wrong.errors).toMatch(/^api::invalid-alarm: "mode" is not an alarm such as /);
    const unit = await mcs('shelve', 'sat1', 'obc.mode', '30');
    expect(unit).toMatchObject({ output: '', code: 1 });
    expect(unit.errors).toMatch(/^api::invalid-body: for: /);
  });

  it.each([[[]], [['silence']], [['ack', 'sat1']], [['shelve', 'sat1', 'obc.mode']], [['list', 'a', 'b']]])(
    'shows how it is used and exits 2 on %j',
    async (words) => {
      const { output, errors, code } = await mcs(...words);
      expect({ output, code }).toEqual({ output: '', code: 2 });
      expect(errors).toMatch(/^mcs alarm (.|\n)*\nmcs: .*\n$/);
    },
  );

  it('MC-ALM-036 watches over a front end that goes and comes: nothing twice, and what was missed is reported', async () => {
    const other: AlarmName = { ...VOLTAGE, instance: '2', alarm: 'temperature' };
    await record(VOLTAGE, { ...ACTIVE, seq: 7 });
    const relay = await startRelay(Number(new URL(cell.api).port));
    const { child, said } = start('watch', 'sat1', '--api', `http://127.0.0.1:${relay.port}`);
    const lines = () => said.output.split('\n').slice(0, -1);
    // What comes before the watch reads where all stands is not reported; another follows until one is.
    let seq = 7;
    await until(async () => {
      if (lines().length > 0) return true;
      seq += 1;
      await record(VOLTAGE, { ...ACTIVE, seq });
      return false;
    }, PATIENTLY);
    relay.refusing = true;
    relay.cut();
    await until(() => said.errors.includes('trying again'), PATIENTLY);
    const before = lines().length;
    await record(other, { ...ACTIVE, seq: 1 });
    await record(other, { ...ACTIVE, state: 'CLEARED_UNACK', previous: 'ACTIVE_UNACK', seq: 2 });
    relay.refusing = false;
    await until(() => said.output.includes('temperature'), PATIENTLY);
    await record(other, {
      ...ACTIVE,
      state: 'NORMAL',
      previous: 'CLEARED_UNACK',
      seq: 3,
      cause: 'acknowledged',
      by: 'eve',
    });
    await until(() => said.output.includes('by eve'), PATIENTLY);
    // Of the first alarm at most what was recorded, once each.
    expect(lines().filter((line) => line.includes('voltage')).length).toBeLessThanOrEqual(seq - 7);
    const behind = lines().slice(before);
    expect(behind.filter((line) => line.includes('temperature'))).toEqual([
      '03:04:05.678  ~   critical  CLEARED_UNACK  sat1 battery[2].temperature  5.912346  was ACTIVE_UNACK',
      '03:04:05.678      normal    NORMAL         sat1 battery[2].temperature  5.912346  acknowledged by eve',
    ]);
    expect(said.errors).toContain('-- 1 earlier transitions of sat1.battery.2.temperature were missed\n');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    await relay.stop();
  });

  it('watches nothing where the service refuses, and says why', async () => {
    const { errors, code } = await mcs('watch', 'sat9');
    expect(code).toBe(1);
    expect(errors).toMatch(/^api::unknown-target: /);
    const { errors: away } = await mcs('watch', '--api', 'http://127.0.0.1:1');
    expect(away).toContain('does not answer');
  });
});

describe('a line of an alarm', () => {
  const event: AlarmEvent = {
    ...VOLTAGE,
    previous: 'NORMAL',
    state: 'ACTIVE_UNACK',
    severity: 'warning',
    value: 6.2,
    seq: 1,
    at: AT,
    cause: 'condition',
  };
  const until30 = '2026-01-02T03:34:05.678Z';

  it.each<[Partial<AlarmEvent>, string]>([
    [{}, '!   warning   ACTIVE_UNACK   sat1 battery[1].voltage  6.2       was NORMAL'],
    [
      { cause: 'shelved', previous: 'ACTIVE_UNACK', by: 'eve', shelved_until: until30 },
      '!   warning   ACTIVE_UNACK   sat1 battery[1].voltage  6.2       shelved until 2026-01-02 03:34:05Z by eve',
    ],
    [
      { cause: 'unshelved', previous: 'ACTIVE_UNACK' },
      '!   warning   ACTIVE_UNACK   sat1 battery[1].voltage  6.2       its shelving ended',
    ],
    [
      { severity: 'critical', previous: 'ACTIVE_UNACK' },
      '!!  critical  ACTIVE_UNACK   sat1 battery[1].voltage  6.2       severity changed',
    ],
  ])('says what happened: %j', (change, line) => {
    expect(eventLine({ ...event, ...change }, false)).toBe(`03:04:05.678  ${line}`);
  });

  it('has colours only where asked, and says nothing by them alone', () => {
    const plain = eventLine(event, false);
    expect(eventLine(event, true)).toBe(`${ESCAPE}[33m${plain}${ESCAPE}[0m`);
    expect(plain).not.toContain(ESCAPE);
  });

  it('lets no control character of a value or a name reach the terminal', () => {
    const alarm: Alarm = {
      ...VOLTAGE,
      record: { ...ACTIVE, value: `x${ESCAPE}[2Jy`, by: 'a\nb', cause: 'acknowledged' },
    };
    const [line] = listLines([alarm], false);
    expect(line).toMatch(/^[^\p{Cc}]*$/u);
    expect(line).toContain('x.[2Jy');
  });
});
