/**
 * Reactions of real alarms (F-07, F-08, F-09): raised by telemetry of the simulated spacecraft, launched by the alarm
 * service, carried out by executors that die, or that are reported that a minute has passed. Mission Control Service,
 * section 4.4.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardNames } from '../../actors/run/open-runs.ts';
import type { Alarm, AlarmList } from '../../contract/alarm.ts';
import type { AlarmReaction } from '../../contract/alarm-reaction.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { REACTION_LOOK_MS, REACTION_WAIT_MS } from '../../contract/limits/alarm.ts';
import type { LaunchReply, RunList, RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import type { Clock } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { highestRanked } from '../../supervision/ownership/ranking.ts';
import { type ServiceProcess, startProcess } from '../../supervision/process.ts';
import { ROLES } from '../../supervision/role.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { visit } from '../support/members.ts';
import { quiet } from '../support/nats.ts';
import { eventsOf, lastOf, logWith } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const ALARMS = `    alarms:
      lit: { when: payload == true, severity: warning, on_raise: run "dim" }
      cold: { when: heater == false, severity: warning, on_raise: run "hopeless" }
      first: { when: obc.watchdog == 91 s, severity: warning, on_raise: run "hold" }
      again: { when: obc.watchdog == 92 s, severity: warning, on_raise: run "hold" }
      fatal: { when: obc.watchdog == 93 s, severity: warning, on_raise: run "long" }
      drained: { when: "battery[1].voltage < 7.8 V", severity: warning, on_raise: run "note" }
`;

const DRILL = `
library: drill
version: 1.0.0
imports: [cubesat-6u@1.0.0]
procedures:
  shine:
    roles: { sat: cubesat-6u }
    steps:
      - step: on
        do:
          - send: sat.power.switch
            args: { channel: payload }
      - step: busy
        do: [{ wait: 10 min }, { log: over }]
  dim:
    roles: { sat: cubesat-6u }
    steps:
      - step: off
        do:
          - send: sat.power.switch
            args: { channel: payload, on: false }
          - expect: sat.power.payload == false
            within: 30 s
  hopeless:
    roles: { sat: cubesat-6u }
    steps:
      - step: try
        do: [{ check: sat.power.panel_current > 60 A }]
  hold:
    roles: { sat: cubesat-6u }
    steps:
      - step: question
        do: [{ ask: Enough?, as: level, type: { type: f64, unit: dB }, timeout: 1 h }]
  note:
    roles: { sat: cubesat-6u }
    steps:
      - step: noted
        do: [{ log: drained }]
  bark:
    roles: { sat: cubesat-6u }
    steps:
      - step: bite
        do:
          - send: sat.obc.set_watchdog
            args: { period: 93 s }
      - step: busy
        do: [{ wait: 10 min }, { log: over }]
  long:
    roles: { sat: cubesat-6u }
    steps:
      - step: off
        do:
          - send: sat.power.switch
            args: { channel: payload, on: false }
          - wait: 10 min
`;
/** Nobody is taken for dead because a minute was said to have passed, or because the machine is busy. */
const MEMBER_TTL_MS = 600_000;

let folder: string;
let cell: DemoCell;
let executor: ServiceProcess;
/** What the clock of the executor is ahead of the others. */
let aheadMs = 0;
/** How often the executor waited to look again whether a target is free. */
let looks = 0;
const clock: Clock = {
  ...realClock,
  now: () => realClock.now() + aheadMs,
  setTimeout: (fire, delayMs) => {
    if (delayMs === REACTION_LOOK_MS) looks += 1;
    return realClock.setTimeout(fire, delayMs);
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-reaction-'));
  await cp(DEMO, folder, { recursive: true });
  const file = join(folder, 'cubesat-6u.yaml');
  const platform = await readFile(file, 'utf8');
  const power = '    description: Power distribution\n';
  if (!platform.includes(power)) throw new Error('the platform has no power distribution');
  await writeFile(file, platform.replace(power, power + ALARMS));
  await writeFile(join(folder, 'drill.yaml'), DRILL);
  const roles = ROLES.filter((role) => role !== 'executor');
  cell = await startDemoCell({ folder, roles, memberTtlMs: MEMBER_TTL_MS });
  executor = await startProcess({
    bus: await cell.nats.connected(),
    roles: ['executor'],
    clock,
    random: seededRandom(2),
    log: quiet,
    memberTtlMs: MEMBER_TTL_MS,
    escalated: (reason) => {
      throw new Error(reason);
    },
  });
  await executor.ready;
  await until(async () => {
    const { body } = await call<{ values: unknown[] }>('GET', `${cell.api}/v1/targets/sat1/values`);
    return body.values?.length > 5;
  });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await executor.stop();
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

const PATIENTLY = { timeoutMs: 60_000 };
const ANA = { 'x-mcs-user': 'ana' };

async function alarm(name: string): Promise<Alarm['record'] | undefined> {
  const { body } = await call<AlarmList>('GET', `${cell.api}/v1/alarms?target=sat1&all=true`);
  return body.alarms?.find((each) => each.alarm === name)?.record;
}

/** What its reactions under way do, as its view says. */
async function reactionsOf(name: string): Promise<Alarm['reactions']> {
  const { body } = await call<AlarmList>('GET', `${cell.api}/v1/alarms?target=sat1&all=true`);
  return body.alarms?.find((each) => each.alarm === name)?.reactions;
}

/** The same once one of them is in this state. */
async function reactionIn(name: string, state: AlarmReaction['state']): Promise<AlarmReaction> {
  return until(async () => (await reactionsOf(name))?.find((each) => each.state === state), {
    ...PATIENTLY,
    what: `the reaction to ${name} in state ${state}`,
  });
}

/** The run of the reaction to this alarm, once it is listed; of its `activation`. */
async function reactionTo(name: string, activation = 1): Promise<string> {
  const launched = async (): Promise<string | undefined> => {
    const { body } = await call<RunList>('GET', `${cell.api}/v1/runs?limit=50`);
    const own = (body.runs ?? []).filter(({ by }) => by === `alarm sat1.power._.${name}`);
    const runs = own.map(({ run }) => run);
    return runs.sort()[activation - 1];
  };
  return until(launched, { ...PATIENTLY, what: `the reaction to ${name}` });
}

/** A person sends it; accepted as soon as nothing holds the target any more. */
async function send(telecommand: string, args: object): Promise<void> {
  const body = { target: 'sat1', telecommand, args };
  await until(async () => (await call('POST', `${cell.api}/v1/tc`, body, ANA)).status === 202, {
    ...PATIENTLY,
  });
}

/** The status of the answer to a command of a person. */
async function post(path: string, body?: object): Promise<number> {
  return (await call('POST', `${cell.api}/v1/runs/${path}`, body, ANA)).status;
}

async function launch(run: string): Promise<string> {
  const request = { run, environment: 'rehearsal', targets: { sat: 'sat1' } };
  const launched = await call<LaunchReply>('POST', `${cell.api}/v1/runs`, request, ANA);
  return launched.body.run;
}

async function statusOf(run: string): Promise<RunStatus> {
  return (await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`)).body;
}

async function holders(): Promise<string[]> {
  const entry = await cell.bus.bucket(buckets.leases).get('sat1');
  const { holders: all } = JSON.parse(Buffer.from(entry!.value).toString()) as TargetHolds;
  return all.map(({ run }) => run);
}

const kinds = (log: readonly RunEvent[]): string[] => log.map(({ event }) => event);
const first = (log: readonly RunEvent[], kind: RunEvent['event']): RunEvent =>
  log.find(({ event }) => event === kind)!;

describe('the reaction of a real alarm', () => {
  it('MC-REACT-001 MC-REACT-002 MC-REACT-016 takes the target of the run in progress, in its environment', async () => {
    const run = await launch('shine');
    const reaction = await reactionTo('lit');
    expect(await alarm('lit')).toMatchObject({ severity: 'warning', seq: expect.any(Number) });
    const log = await logWith(cell.bus, reaction, 'finished', PATIENTLY);
    expect(first(log, 'started')).toMatchObject({ environment: 'rehearsal', procedure: 'dim' });
    expect(lastOf(log, 'finished')).toMatchObject({ ok: true });
    const suspended = lastOf(await eventsOf(cell.bus, run), 'suspended');
    expect(suspended).toMatchObject({ by: 'alarm sat1.power._.lit' });
    expect(suspended.at <= first(log, 'step_started').at).toBe(true);
    await until(async () => (await alarm('lit'))?.state === 'CLEARED_UNACK', PATIENTLY);
    expect(await alarm('lit-reaction')).toBeUndefined();
    expect(await post(`${run}/abort`)).toBe(202);
  }, 240_000);

  it('MC-REACT-021 MC-REACT-022 says at once that it waits for a decision, and raises and clears another alarm once it does not pass', async () => {
    await send('power.switch', { channel: 'heater', on: false });
    const reaction = await reactionTo('cold');
    const required = lastOf(await logWith(cell.bus, reaction, 'decision_required'), 'decision_required');
    expect(await reactionIn('cold', 'waiting_for_decision')).toEqual({
      procedure: 'hopeless',
      run: reaction,
      state: 'waiting_for_decision',
      step: 'try',
      reason: required.reason,
      question: required.seq,
      since: required.at,
      holds_target: true,
    });
    expect(await alarm('cold-reaction'), 'nothing has failed yet').toBeUndefined();
    expect(await post(`${reaction}/abort`)).toBe(202);
    await until(async () => (await alarm('cold-reaction'))?.state === 'CLEARED_UNACK', PATIENTLY);
    await until(async () => (await reactionsOf('cold')) === undefined);
    expect(await alarm('cold-reaction')).toMatchObject({
      previous: 'ACTIVE_UNACK',
      severity: 'critical',
      seq: 2,
      value: expect.stringContaining('aborted by ana'),
    });
  }, 240_000);
});

describe('two alarms, one target (F-09)', () => {
  const ANSWER = { path: 'question', accepted: true, value: '3 dB' };

  /** The reaction to the first alarm holds the target, and the second alarm is raised behind it. */
  async function heldBy(name: string, period: number): Promise<string> {
    await send('obc.set_watchdog', { period });
    const holder = await reactionTo(name);
    await logWith(cell.bus, holder, 'asked');
    await cell.fault('cell_drain', true);
    return holder;
  }

  async function recovered(): Promise<void> {
    await cell.fault('cell_drain', false);
    await until(async () => (await alarm('drained'))?.state === 'CLEARED_UNACK', PATIENTLY);
  }

  it('MC-REACT-015 the reaction to the second waits for the one to the first, and passes behind it', async () => {
    const holder = await heldBy('first', 91);
    const second = await reactionTo('drained');
    const { at: begun } = first(await logWith(cell.bus, second, 'started'), 'started');
    expect(await reactionIn('drained', 'waiting_for_target')).toEqual({
      procedure: 'note',
      run: second,
      state: 'waiting_for_target',
      since: begun,
      until: new Date(Date.parse(begun) + REACTION_WAIT_MS).toISOString(),
      held_by: [{ run: holder, alarm: 'sat1.power._.first' }],
      holds_target: false,
    });
    expect(await reactionIn('first', 'waiting_for_answer')).toMatchObject({
      run: holder,
      holds_target: true,
    });
    await recovered();
    expect(await holders()).toEqual([holder]);
    expect(kinds(await eventsOf(cell.bus, second))).not.toContain('step_started');
    expect(await post(`${holder}/answers`, ANSWER)).toBe(202);
    const ended = first(await logWith(cell.bus, holder, 'finished'), 'finished');
    const log = await logWith(cell.bus, second, 'finished');
    expect(first(log, 'step_started').at >= ended.at).toBe(true);
    expect(lastOf(log, 'finished')).toMatchObject({ ok: true });
    expect(await alarm('drained-reaction')).toBeUndefined();
  }, 240_000);

  it('MC-REACT-015 MC-REACT-021 MC-REACT-022 MC-REACT-023 MC-LIM-012 is given up behind a minute, and an alarm of its own says why', async () => {
    const holder = await heldBy('again', 92);
    const second = await reactionTo('drained', 2);
    const started = first(await logWith(cell.bus, second, 'started'), 'started');
    await recovered();
    aheadMs = Date.parse(started.at) + 45_000 - Date.now();
    const looked = looks;
    await until(() => looks > looked + 1, { what: 'another look' });
    expect(kinds(await eventsOf(cell.bus, second))).not.toContain('finished');
    aheadMs += 15_000;
    const end = lastOf(await logWith(cell.bus, second, 'finished'), 'finished');
    expect(end).toMatchObject({ ok: false, reason: expect.stringContaining(holder) });
    await until(async () => (await alarm('drained-reaction'))?.state === 'CLEARED_UNACK', PATIENTLY);
    expect(await alarm('drained-reaction')).toMatchObject({
      previous: 'ACTIVE_UNACK',
      severity: 'critical',
      seq: 2,
      value: expect.stringContaining(end.reason!),
    });
    expect(await holders(), 'the first goes on').toEqual([holder]);
    expect(await post(`${holder}/answers`, ANSWER)).toBe(202);
    expect(lastOf(await logWith(cell.bus, holder, 'finished'), 'finished')).toMatchObject({ ok: true });
    expect(await alarm('again-reaction')).toBeUndefined();
  }, 240_000);
});

describe('kill -9 of the executor during the reaction to a real alarm (F-08)', () => {
  const HEIR = 'heir';

  /** Outranks the heir everywhere: what it has under way is all taken over by the same. */
  function mortalName(): string {
    const isAbove = (name: string): boolean =>
      ['sat1', ...shardNames()].every((partition) => highestRanked(partition, [name, HEIR]) === name);
    for (let salt = 0; ; salt += 1) if (isAbove(`mortal-${salt}`)) return `mortal-${salt}`;
  }

  function mortalOrHeir(instance: string): Promise<Mcs> {
    const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
    return startMcs({
      args: ['serve', '--roles', 'executor', ...at],
      env: { MCS_INSTANCE: instance, MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS) },
    });
  }

  it('MC-STM-005 MC-STM-022 MC-LOG-002 MC-LOG-022 MC-REACT-021 MC-REACT-022 another one takes up both, asks, and sends nothing twice', async () => {
    await executor.stop();
    const mcs = await mortalOrHeir(mortalName());
    const heir = mortalOrHeir(HEIR);
    const before = await cell.receivedByRequest();
    const run = await launch('bark');
    const reaction = await reactionTo('fatal');
    await logWith(cell.bus, reaction, 'telecommand_finished');
    expect(lastOf(await logWith(cell.bus, run, 'suspended'), 'suspended')).toMatchObject({
      by: 'alarm sat1.power._.fatal',
    });
    await heir;
    await mcs.kill();
    await visit(cell.bus);

    expect(kinds(await logWith(cell.bus, reaction, 'decision_required')).slice(-2)).toEqual([
      'taken_over',
      'decision_required',
    ]);
    for (const each of [run, reaction]) {
      expect(lastOf(await logWith(cell.bus, each, 'taken_over'), 'taken_over')).toMatchObject({ by: HEIR });
    }
    expect(await statusOf(run)).toMatchObject({ suspended: true });
    expect(await holders()).toEqual([reaction]);
    expect(await post(`${run}/resume`, { choice: 'skip' })).toBe(409);

    expect(await post(`${reaction}/abort`)).toBe(202);
    await until(async () => (await alarm('fatal-reaction'))?.state === 'CLEARED_UNACK', PATIENTLY);
    expect(await alarm('fatal-reaction')).toMatchObject({
      severity: 'critical',
      seq: 2,
      value: expect.stringContaining('aborted by ana'),
    });
    expect(await statusOf(run)).toMatchObject({ suspended: true });
    expect(await post(`${run}/resume`, { choice: 'skip' })).toBe(202);
    await logWith(cell.bus, run, 'finished');
    for (const each of [run, reaction]) {
      const log = await eventsOf(cell.bus, each);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    }
    const after = await cell.receivedByRequest();
    const times = Object.entries(after).map(([request, count]) => count - (before[request] ?? 0));
    expect(times.filter((count) => count > 0)).toEqual([1, 1]);
  }, 240_000);
});
