import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alarmHistory } from '../../../actors/alarm/replay.ts';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { storedAlarmBytes } from '../../../contract/stored-alarm.ts';
import { replay } from '../../../supervision/inspection/replay.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';
import {
  AskedReactions,
  command,
  eventsOf,
  type Leader,
  type LeaderOptions,
  lead,
  mortalBus,
  NOON,
  SaidMissions,
  says,
  stateOf,
  storedOf,
} from './alarm-world.ts';

let nats: TestNats;
let bus: NatsBus;
let leaders: Leader[] = [];

beforeEach(async () => {
  nats = await startNats();
  bus = await nats.connected();
});

afterEach(async () => {
  await Promise.all(leaders.map((leader) => leader.stop()));
  leaders = [];
  await nats.stop();
});

async function leader(options: Partial<LeaderOptions> = {}): Promise<Leader> {
  const led = await lead({ bus, epoch: 10, ...options });
  leaders.push(led);
  return led;
}

/** Stops it as a killed process would: without a word to the bus. */
function forget(led: Leader): void {
  leaders = leaders.filter((each) => each !== led);
  void led.stop();
}

const becomes = (alarm: string, state: string): Promise<unknown> =>
  until(async () => (await stateOf(bus, alarm)) === state, { what: `${alarm} ${state}` });
const seqsOf = async (alarm: string): Promise<number[]> =>
  (await eventsOf(bus, alarm)).map(({ event }) => event.seq);
const seqOf = ({ record }: { readonly record?: unknown }): unknown => (record as { seq?: number }).seq;
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

describe('an alarm', () => {
  it('MC-ALM-001 MC-ALM-002 MC-ALM-013 MC-ALM-053 MC-BUS-002 is written to its record and published on the stream', async () => {
    await leader();
    const position = await says(bus, [{ alarm: 'voltage', severity: 'warning', value: 6.2 }]);
    await until(async () => (await seqsOf('voltage')).length === 1);
    const at = new Date(NOON + position).toISOString();
    const standing = { previous: 'NORMAL', state: 'ACTIVE_UNACK', severity: 'warning', value: 6.2, seq: 1 };
    expect(await storedOf(bus, 'voltage')).toEqual({
      record: { ...standing, active_since: at, changed_at: at, cause: 'condition' },
      epoch: 10,
      evaluated: { position, at: NOON + position },
    });
    const [told] = await eventsOf(bus);
    expect(told!.event).toEqual({
      target: 'sat1',
      component: 'battery',
      instance: '1',
      alarm: 'voltage',
      ...standing,
      at,
      cause: 'condition',
    });
    expect(told!.message.subject).toBe('mcs.alarm.evt.sat1.battery.1.voltage');
    expect(told!.message.headers[header.epoch]).toBe('10');
    const again = await bus.append(streams.alarms, told!.message.subject, Buffer.from('{}'), {
      id: 'sat1.battery.1.voltage-1',
    });
    expect(again.outcome).toBe('duplicate');
  });

  it('MC-ALM-040 MC-BUS-011 MC-BUS-020 takes commands by request and reply, and has recorded what it accepts', async () => {
    const { transitions } = await leader();
    await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    expect(await command(bus, 'voltage', { action: 'acknowledge' })).toEqual({ outcome: 'accepted' });
    expect((await storedOf(bus, 'voltage'))?.record).toMatchObject({ state: 'ACTIVE_ACK', by: 'ada' });
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await becomes('voltage', 'NORMAL');
    await until(() => transitions.length === 3);
    expect(await seqsOf('voltage')).toEqual([1, 2, 3]);
    expect(transitions.map(({ state }) => state)).toEqual(['ACTIVE_UNACK', 'ACTIVE_ACK', 'NORMAL']);
  });

  it('MC-REACT-005 alarm/record.B4 has no reaction to what became true in a shelving that ended while nobody led', async () => {
    const first = await leader();
    await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    await command(bus, 'voltage', { action: 'acknowledge' });
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await becomes('voltage', 'NORMAL');
    await command(bus, 'voltage', { action: 'shelve', forMs: 500 });
    await first.stop();
    forget(first);
    const second = await leader({ epoch: 11 });
    await until(async () => (await storedOf(bus, 'voltage'))?.record.cause === 'unshelved');
    await second.stop();
    forget(second);
    const reactions = new AskedReactions();
    await leader({ epoch: 12, reactions });
    await says(bus, [{ alarm: 'voltage', severity: 'critical', onRaise: 'shed_load' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    expect(reactions.wanted).toEqual([]);
    expect(await storedOf(bus, 'voltage')).not.toHaveProperty('reactions');
  });

  it('MC-ALM-024 MC-ALM-043 MC-ALM-045 MC-ALM-050 MC-LIM-007 says why it refuses a command', async () => {
    await leader();
    const refused = async (
      ...asked: Parameters<typeof command> extends [unknown, ...infer Rest] ? Rest : never
    ) => {
      const reply = await command(bus, ...asked);
      return reply.outcome === 'refused' ? reply.reason : reply.outcome;
    };
    const never = 'sat1 battery[1].voltage has never been raised: there is no record of it';
    expect(await refused('voltage', { action: 'acknowledge' })).toBe(never);
    expect(await refused('voltage', { action: 'shelve', forMs: 1_000 })).toBe(never);
    expect(await refused('voltage', { action: 'acknowledge' }, 'nowhere')).toContain('never been raised');
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    expect(await refused('voltage', { action: 'unshelve' })).toBe(
      'sat1 battery[1].voltage: it is not shelved',
    );
    expect(await refused('voltage', { action: 'shelve', forMs: 0 })).toContain('must be positive');
    expect(await refused('voltage', { action: 'shelve', forMs: 8 * 3_600_000 + 1 })).toContain('480 min');
    expect(await refused('voltage', { action: 'shelve', forMs: 8 * 3_600_000 })).toBe('accepted');
    expect(await refused('voltage', { action: 'acknowledge' })).toBe('accepted');
    expect(await refused('voltage', { action: 'acknowledge' })).toContain('acknowledged already');
    const body = Buffer.from('{"action":"shelve"}');
    const reply = await bus.request(subject.alarmControl('sat1'), body, { timeoutMs: 30_000 });
    expect(JSON.parse(Buffer.from(reply).toString())).toMatchObject({ outcome: 'refused' });
    expect(await seqsOf('voltage')).toEqual([1, 2, 3]);
  });

  it('leaves the memory when nothing happens to it, and comes back from its record', async () => {
    const { kind } = await leader({ idleMs: 50 });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    await until(() => kind.live === 0);
    expect(await command(bus, 'voltage', { action: 'acknowledge' })).toEqual({ outcome: 'accepted' });
    expect(await seqsOf('voltage')).toEqual([1, 2]);
  });

  it('that stays NORMAL has no cell and no record', async () => {
    const { kind, service } = await leader();
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await says(bus, [{ alarm: 'current', severity: 'warning' }]);
    await becomes('current', 'ACTIVE_UNACK');
    expect([...kind.ids()]).toEqual(['sat1.battery.1.current']);
    expect(await storedOf(bus, 'voltage')).toBeUndefined();
    await until(() => service.waiting === 0);
  });

  it('can be scrubbed through its history', async () => {
    const { kind } = await leader();
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    await command(bus, 'voltage', { action: 'shelve', forMs: 60_000 });
    await command(bus, 'voltage', { action: 'acknowledge' });
    await command(bus, 'voltage', { action: 'unshelve' });
    const key = 'sat1.battery.1.voltage';
    const view = replay(kind.binding, key, (await alarmHistory(bus, key))!);
    const active = view.steps.map((step) => step.active.filter((id) => id.split('.').length === 3).sort());
    expect(active).toEqual([
      ['alarm.life.ACTIVE_UNACK', 'alarm.shelving.unshelved'],
      ['alarm.life.ACTIVE_UNACK', 'alarm.shelving.shelved'],
      ['alarm.life.ACTIVE_ACK', 'alarm.shelving.shelved'],
      ['alarm.life.ACTIVE_ACK', 'alarm.shelving.unshelved'],
    ]);
    expect(view.steps.map(({ detail }) => detail)).toEqual([
      'condition',
      'shelved by ada',
      'acknowledged by ada',
      'unshelved by ada',
    ]);
  });

  it('that the mission no longer has is back to normal, stays recorded and can be acknowledged', async () => {
    const missions = new SaidMissions(['voltage']);
    await leader({ missions });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    missions.publish([]);
    await becomes('voltage', 'CLEARED_UNACK');
    expect(await command(bus, 'voltage', { action: 'acknowledge' })).toEqual({ outcome: 'accepted' });
    expect(await stateOf(bus, 'voltage')).toBe('NORMAL');
  });
});

describe('shelving', () => {
  it('MC-ALM-046 MC-ALM-048 MC-ALM-049 MC-REACT-005 silences reactions until its term, and ends by itself', async () => {
    const reactions = new AskedReactions();
    await leader({ reactions, idleMs: 50 });
    const raise = (): Promise<number> =>
      says(bus, [{ alarm: 'low', severity: 'critical', onRaise: 'shed_load' }]);
    const clear = (): Promise<number> => says(bus, [{ alarm: 'low', severity: null }]);
    await says(bus, [{ alarm: 'low', severity: 'warning' }]);
    await clear();
    await becomes('low', 'CLEARED_UNACK');
    await command(bus, 'low', { action: 'shelve', forMs: 60_000 });
    await raise();
    await becomes('low', 'ACTIVE_UNACK');
    await command(bus, 'low', { action: 'shelve', forMs: 300 });
    await until(async () => (await storedOf(bus, 'low'))?.record.cause === 'unshelved');
    // What is recorded is published a moment later.
    await until(async () => (await seqsOf('low')).length === 6);
    const events = (await eventsOf(bus, 'low')).map(({ event }) => event);
    expect(events.map(({ cause, shelved_until }) => [cause, shelved_until !== undefined])).toEqual([
      ['condition', false],
      ['condition', false],
      ['shelved', true],
      ['condition', true],
      ['shelved', true],
      ['unshelved', false],
    ]);
    expect(events.at(-1)).not.toHaveProperty('by');
    expect(reactions.wanted).toEqual([]);
  });

  it('MC-ALM-049 ends at its term under a new leader too', async () => {
    const first = mortalBus(await nats.connected());
    const old = await leader({ bus: first.bus });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    await command(bus, 'voltage', { action: 'shelve', forMs: 400 });
    first.kill();
    forget(old);
    await leader({ epoch: 20 });
    await until(async () => (await storedOf(bus, 'voltage'))?.record.cause === 'unshelved');
    await until(async () => (await seqsOf('voltage')).length === 3);
    expect(await seqsOf('voltage')).toEqual([1, 2, 3]);
  });
});

describe('takeover', () => {
  it('MC-ALM-054 MC-ALM-055 a transition written and not published before a kill is published once', async () => {
    const first = mortalBus(await nats.connected(), (write) => write.endsWith('voltage-2'));
    const old = await leader({ bus: first.bus });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await until(() => first.dead);
    forget(old);
    expect((await storedOf(bus, 'voltage'))?.record.seq).toBe(2);
    expect(await seqsOf('voltage')).toEqual([1]);
    const { transitions } = await leader({ epoch: 20 });
    expect(await seqsOf('voltage')).toEqual([1, 2]);
    expect(transitions.map(({ seq }) => seq)).toEqual([2]);
    await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
    await until(async () => (await seqsOf('voltage')).length === 3);
    await leader({ epoch: 30 });
    expect(await seqsOf('voltage')).toEqual([1, 2, 3]);
  });

  it('alarm/recovery.V2 a transition that was published and whose record is gone with the store is recorded again, and ends as the condition has it', async () => {
    const first = await leader();
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    const before = await bus.bucket(buckets.alarms).get('sat1.battery.1.voltage');
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await until(async () => (await seqsOf('voltage')).length === 2);
    await command(bus, 'voltage', { action: 'acknowledge' });
    await first.stop();
    const now = await bus.bucket(buckets.alarms).get('sat1.battery.1.voltage');
    await bus.bucket(buckets.alarms).put('sat1.battery.1.voltage', before!.value, now!.revision);
    await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
    await leader({ epoch: 20 });
    await until(async () => (await seqsOf('voltage')).length === 4);
    const reported = (await eventsOf(bus, 'voltage')).map(({ event }) => [event.previous, event.state]);
    expect(reported.slice(2)).toEqual([
      ['CLEARED_UNACK', 'NORMAL'],
      ['NORMAL', 'ACTIVE_UNACK'],
    ]);
    expect((await storedOf(bus, 'voltage'))?.record).toMatchObject({ seq: 4, severity: 'critical' });
  });

  it('what was stored while nobody led is recorded then, with nothing published twice', async () => {
    const first = await leader();
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    await first.stop();
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
    await leader({ epoch: 20 });
    await until(async () => (await seqsOf('voltage')).length === 3);
    const reported = (await eventsOf(bus, 'voltage')).map(({ event }) => [event.state, event.severity]);
    expect(reported).toEqual([
      ['ACTIVE_UNACK', 'warning'],
      ['CLEARED_UNACK', 'warning'],
      ['ACTIVE_UNACK', 'critical'],
    ]);
  });

  it('campaign/service.E3 unreadable events on its subject stop neither the leader nor the alarm, and are no part of its history', async () => {
    const first = mortalBus(await nats.connected(), (write) => write.endsWith('voltage-2'));
    const old = await leader({ bus: first.bus });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await until(() => first.dead);
    forget(old);
    const [told] = await eventsOf(bus, 'voltage');
    for (const garbage of ['no json', 'null', '{}'])
      await bus.append(streams.alarms, told!.message.subject, Buffer.from(garbage));
    await leader({ epoch: 20 });
    await says(bus, [{ alarm: 'voltage', severity: 'critical' }]);
    const history = async () => (await alarmHistory(bus, 'sat1.battery.1.voltage'))?.steps.map(seqOf) ?? [];
    await until(async () => (await history()).length === 3);
    expect(await history()).toEqual([1, 2, 3]);
  });

  it('a target that nobody has evaluated begins with how its alarms stand, not with their past', async () => {
    for (const severity of ['warning', null, 'critical'] as const)
      await says(bus, [{ alarm: 'voltage', severity }]);
    await leader();
    await until(async () => (await seqsOf('voltage')).length === 1);
    expect((await storedOf(bus, 'voltage'))?.record).toMatchObject({ severity: 'critical', seq: 1 });
  });

  it('alarm/service.S6 targets of which the bus says nothing hold no other back', async () => {
    const silent = Array.from({ length: 4 }, (_, n) => `silent${n}`);
    const missions = new SaidMissions(['voltage'], [...silent, 'sat1']);
    const isSilent = (about: string): boolean => silent.some((target) => about.endsWith(target));
    const real = await nats.connected();
    const deaf = new Proxy(real, {
      get: (on, name) => {
        const value = Reflect.get(on, name) as unknown;
        if (name === 'last')
          return (...given: Parameters<NatsBus['last']>) =>
            isSilent(given[1]) ? new Promise<never>(() => undefined) : on.last(...given);
        return typeof value === 'function' ? value.bind(on) : value;
      },
    });
    void lead({ bus: deaf, epoch: 10, missions });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
  });

  it('one that sleeps while another leads writes and answers nothing', async () => {
    let awake = true;
    const old = await leader({ bus: await nats.connected(), holds: () => awake });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    awake = false;
    await leader({ epoch: 20 });
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await becomes('voltage', 'CLEARED_UNACK');
    expect(await command(bus, 'voltage', { action: 'acknowledge' })).toEqual({ outcome: 'accepted' });
    await until(() => old.failures.length > 0);
    expect(await seqsOf('voltage')).toEqual([1, 2, 3]);
    const epochs = (await eventsOf(bus, 'voltage')).map(({ message }) => message.headers[header.epoch]);
    expect(epochs).toEqual(['10', '20', '20']);
  });

  it('one that does not know it was overtaken loses its write, publishes nothing and gives up', async () => {
    const old = await leader({ bus: await nats.connected() });
    await says(bus, [{ alarm: 'voltage', severity: 'warning' }]);
    await becomes('voltage', 'ACTIVE_UNACK');
    const entry = await bus.bucket(buckets.alarms).get('sat1.battery.1.voltage');
    const later = { ...(await storedOf(bus, 'voltage'))!, epoch: 20 };
    await bus.bucket(buckets.alarms).put('sat1.battery.1.voltage', storedAlarmBytes(later), entry!.revision);
    await says(bus, [{ alarm: 'voltage', severity: null }]);
    await until(() => old.failures.length > 0);
    expect(await storedOf(bus, 'voltage')).toMatchObject({ epoch: 20, record: { seq: 1 } });
    expect(await seqsOf('voltage')).toEqual([1]);
  });
});

describe('reactions', () => {
  const raise = (severity: 'critical' | null = 'critical'): Promise<number> =>
    says(bus, [{ alarm: 'low', severity, ...(severity !== null && { onRaise: 'shed_load' }) }]);

  it('MC-REACT-001 MC-REACT-002 MC-REACT-003 one for each activation, after it is recorded', async () => {
    const reactions = new AskedReactions();
    const recorded: (number | undefined)[] = [];
    reactions.launched = async ({ seq }) => {
      recorded.push((await storedOf(bus, 'low'))?.record.seq);
      return { run: `run-${seq}` };
    };
    reactions.end = () => ({ ok: true });
    await leader({ reactions });
    await raise();
    await until(() => recorded.length === 1);
    await raise(null);
    await becomes('low', 'CLEARED_UNACK');
    await raise();
    await until(() => recorded.length === 2);
    expect(reactions.wanted.map(({ seq, procedure }) => [seq, procedure])).toEqual([
      [1, 'shed_load'],
      [3, 'shed_load'],
    ]);
    expect(recorded).toEqual([1, 3]);
    await until(async () => (await storedOf(bus, 'low'))?.reactions === undefined);
    expect(await storedOf(bus, 'low-reaction')).toBeUndefined();
  });

  it('MC-REACT-020 MC-REACT-022 one that cannot be launched raises <alarm>-reaction and clears it at once', async () => {
    const reactions = new AskedReactions();
    reactions.launched = () => ({ refused: 'no procedure of that name' });
    await leader({ reactions });
    await raise();
    await becomes('low-reaction', 'CLEARED_UNACK');
    await until(async () => (await seqsOf('low-reaction')).length === 2);
    const events = (await eventsOf(bus, 'low-reaction')).map(({ event }) => event);
    const announced = {
      component: 'battery',
      instance: '1',
      severity: 'critical',
      value: 'no procedure of that name',
    };
    expect(events).toMatchObject([
      { ...announced, seq: 1, state: 'ACTIVE_UNACK' },
      { ...announced, seq: 2, state: 'CLEARED_UNACK' },
    ]);
    await until(async () => (await storedOf(bus, 'low'))?.reactions === undefined);
  });

  it('MC-REACT-021 one that does not pass is reported again at its second failure', async () => {
    const reactions = new AskedReactions();
    reactions.end = (run) => ({ ok: false, reason: `${run} was aborted` });
    await leader({ reactions });
    await raise();
    await until(async () => (await seqsOf('low-reaction')).length === 2);
    await raise(null);
    await raise();
    await until(async () => (await seqsOf('low-reaction')).length === 4);
    expect((await storedOf(bus, 'low-reaction'))?.record).toMatchObject({
      state: 'CLEARED_UNACK',
      value: 'run run-3 did not pass: run-3 was aborted',
    });
  });

  it('MC-REACT-021 MC-REACT-022 two that fail at once are reported one after the other, an activation each', async () => {
    const reactions = new AskedReactions();
    let fail = (): void => undefined;
    const together = new Promise<void>((resolve) => {
      fail = resolve;
    });
    reactions.end = async (run) => {
      await together;
      return { ok: false, reason: `${run} was aborted` };
    };
    await leader({ reactions });
    await raise();
    await raise(null);
    await raise();
    await until(() => reactions.awaited.length === 2);
    fail();
    await until(async () => (await storedOf(bus, 'low'))?.reactions === undefined);
    const emitted = (await eventsOf(bus, 'low-reaction')).map(({ event: { state, value } }) => [
      state,
      value,
    ]);
    expect(emitted).toEqual([
      ['ACTIVE_UNACK', 'run run-1 did not pass: run-1 was aborted'],
      ['CLEARED_UNACK', 'run run-1 did not pass: run-1 was aborted'],
      ['ACTIVE_UNACK', 'run run-3 did not pass: run-3 was aborted'],
      ['CLEARED_UNACK', 'run run-3 did not pass: run-3 was aborted'],
    ]);
  });

  it('one under way is waited for by the next leader, and is not launched again', async () => {
    const first = mortalBus(await nats.connected());
    const before = new AskedReactions();
    const old = await leader({ bus: first.bus, reactions: before });
    await raise();
    await until(async () => (await storedOf(bus, 'low'))?.reactions?.[0]?.run === 'run-1');
    first.kill();
    forget(old);
    const after = new AskedReactions();
    after.end = () => ({ ok: false, reason: 'aborted' });
    await leader({ epoch: 20, reactions: after });
    await becomes('low-reaction', 'CLEARED_UNACK');
    expect(after.wanted).toEqual([]);
    expect(after.awaited).toEqual(['run-1']);
  });

  it('one not known to be launched is asked for again under the same number and time', async () => {
    const first = mortalBus(await nats.connected());
    const before = new AskedReactions();
    before.launched = () => new Promise(() => undefined);
    const old = await leader({ bus: first.bus, reactions: before });
    await raise();
    await until(() => before.wanted.length === 1);
    first.kill();
    forget(old);
    const after = new AskedReactions();
    await leader({ epoch: 20, reactions: after });
    await until(() => after.wanted.length === 1);
    expect(after.wanted).toEqual(before.wanted);
  });

  it.each(['low-reaction-1', 'low-reaction-2'])(
    'a failure is reported once, whatever dies before %s is',
    async (event) => {
      const first = mortalBus(await nats.connected(), (write) => write.endsWith(event));
      const reactions = new AskedReactions();
      reactions.launched = () => ({ refused: 'held' });
      const old = await leader({ bus: first.bus, reactions });
      await raise();
      await until(() => first.dead);
      forget(old);
      await leader({ epoch: 20 });
      await until(async () => (await storedOf(bus, 'low'))?.reactions === undefined);
      expect(await seqsOf('low-reaction')).toEqual([1, 2]);
      expect(await stateOf(bus, 'low-reaction')).toBe('CLEARED_UNACK');
    },
  );
});

describe('a storm', () => {
  const many =
    process.env['MCS_WHOLE_STORM'] === undefined
      ? { alarms: 1_000, times: 2, withinMs: 60_000 }
      : { alarms: 10_000, times: 10, withinMs: 2_400_000 };

  it(
    `of ${many.alarms} alarms, up and down ${many.times} times, is recorded whole, and people are answered meanwhile`,
    async () => {
      const { service, transitions, failures } = await leader();
      await says(bus, [{ alarm: 'quiet', severity: 'warning' }]);
      await becomes('quiet', 'ACTIVE_UNACK');
      const names = Array.from({ length: many.alarms }, (_, n) => `m${n}`);
      const answered: number[] = [];
      for (let time = 0; time < many.times; time += 1) {
        await says(
          bus,
          names.map((alarm) => ({ alarm, severity: 'warning' as const })),
        );
        await says(
          bus,
          names.map((alarm) => ({ alarm, severity: null })),
        );
        await until(() => service.waiting > many.alarms / 2, { timeoutMs: 60_000 });
        const begun = performance.now();
        const action =
          time % 2 === 0 ? ({ action: 'shelve', forMs: 60_000 } as const) : ({ action: 'unshelve' } as const);
        expect(await command(bus, 'quiet', action)).toEqual({ outcome: 'accepted' });
        answered.push(performance.now() - begun);
        expect(service.waiting).toBeGreaterThan(0);
      }
      const expected = 2 * many.times;
      const total = 1 + many.times + many.alarms * expected;
      await until(() => transitions.length === total, { timeoutMs: many.withinMs });
      const seqs = new Map<string, number[]>();
      for (const { event } of await eventsOf(bus)) {
        const before = seqs.get(event.alarm);
        if (before === undefined) seqs.set(event.alarm, [event.seq]);
        else before.push(event.seq);
      }
      for (const name of names) expect(seqs.get(name)).toEqual(upTo(expected));
      expect(failures).toEqual([]);
      if (many.alarms > 1_000) console.log(`answers to people, ms: ${answered.map(Math.round).join(' ')}`);
    },
    2 * many.withinMs,
  );
});
