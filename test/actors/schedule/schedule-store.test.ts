/** schedule-store.R1 to R4, on a bucket of the bus in memory whose answers get lost. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { logOf } from '../../../actors/schedule/history.ts';
import { createScheduleStore } from '../../../actors/schedule/schedule-store.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { Outage } from '../../../contract/outage.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import type { ScheduleItem } from '../../../machines/schedule/protocol.ts';
import { scheduleMachine } from '../../../machines/schedule/schedule.ts';
import { steppedSchedule } from '../../../machines/schedule/step.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Commit } from '../../../ports/entity.ts';
import { drive } from '../../harness/harness.ts';
import { AOS, at, storedSchedule } from '../../mission/schedule/records.ts';
import { ScheduleWorld } from './world.ts';

const RUN = '01KE0000000000000000000000';
const fired = storedSchedule({
  state: 'fired',
  run_id: RUN,
  changes: [
    { at: at(-1), state: 'scheduled', reasons: [] },
    { at: at(0), state: 'fired', reasons: [] },
  ],
});
const item = (stored: StoredSchedule, transition = true): ScheduleItem => ({
  type: 'record',
  state: stored.state,
  transition,
  stored,
});

interface Trouble {
  /** Of the writes, the answers to these are lost, by their number from 1 on. */
  lost?: readonly number[];
  endsSo?: () => boolean;
}

async function started({ lost = [], endsSo = () => true }: Trouble = {}) {
  const world = await ScheduleWorld.start([]);
  onTestFinished(() => world.stop());
  const { bus: real } = world.observer;
  let writes = 0;
  const bucket = (definition: Parameters<Bus['bucket']>[0]) => {
    const of = real.bucket(definition);
    const put: typeof of.put = async (...given) => {
      writes += 1;
      const isLost = lost.includes(writes);
      const done = await of.put(...given);
      if (isLost) throw new Outage('bus.unavailable', 'the answer is lost');
      return done;
    };
    return { get: (key: string) => of.get(key), put };
  };
  const counted: string[] = [];
  const store = createScheduleStore({
    bus: { bucket } as unknown as Bus,
    endsSo: async () => endsSo(),
    transition: ({ state }) => void counted.push(state),
  });
  const position = async (): Promise<number> =>
    (await world.finish(real.bucket(buckets.schedules).get('s1')))?.revision ?? 0;
  const put = async (stored: StoredSchedule): Promise<void> => {
    const bytes = Buffer.from(JSON.stringify(stored));
    await world.finish(real.bucket(buckets.schedules).overwrite('s1', bytes));
  };
  await put(storedSchedule());
  const begin = async (...records: ScheduleItem[]): Promise<Commit<ScheduleItem>> =>
    ({
      id: 's1',
      epoch: 0,
      position: await position(),
      records,
      final: false,
    }) as unknown as Commit<ScheduleItem>;
  const commit = (wanted: Commit<ScheduleItem>) => world.finish(store.commit(wanted));
  return { world, store, counted, put, begin, commit, position };
}

describe('a commit', () => {
  it('MC-SCH-048 schedule-store.R1 schedule-store.R3 is written on the condition of what was read, and counted by who wrote it', async () => {
    const { world, begin, commit, counted, put } = await started();
    const first = await begin(item(fired));
    await put(storedSchedule({ reasons: ['somebody else'] }));
    expect(await commit(first)).toEqual({ outcome: 'fenced' });
    expect([world.state(), counted]).toEqual(['scheduled', []]);
    expect(await commit(await begin(item(fired)))).toMatchObject({ outcome: 'committed' });
    expect([world.state(), counted]).toEqual(['fired', ['fired']]);
  });

  it('MC-SCH-035 schedule-store.R2 of an end that is not so any more is not written', async () => {
    const { world, begin, commit, counted } = await started({ endsSo: () => false });
    expect(await commit(await begin(item(fired)))).toEqual({ outcome: 'fenced' });
    expect([world.state(), counted]).toEqual(['scheduled', []]);
    const atRisk = storedSchedule({ state: 'at_risk', reasons: ['too long'] });
    expect(await commit(await begin(item(atRisk)))).toMatchObject({ outcome: 'committed' });
  });

  it('MC-MET-002 schedule-store.R3 schedule-store.R4 whose answer was lost is known again, and counted once', async () => {
    const { world, begin, commit, counted } = await started({ lost: [1] });
    const wanted = await begin(item(fired));
    await expect(commit(wanted)).rejects.toThrow('lost');
    expect(await commit(wanted)).toMatchObject({ outcome: 'committed' });
    expect([world.state(), counted]).toEqual(['fired', ['fired']]);
  });

  it('MC-MET-002 schedule-store.R2 schedule-store.R4 whose answer was lost counts also where it would not end so any more', async () => {
    let isSo = true;
    const { begin, commit, counted } = await started({ lost: [1], endsSo: () => isSo });
    const wanted = await begin(item(fired));
    await expect(commit(wanted)).rejects.toThrow('lost');
    isSo = false;
    expect(await commit(wanted)).toMatchObject({ outcome: 'committed' });
    expect(counted).toEqual(['fired']);
  });

  it('MC-MET-002 schedule-store.R4 of two records goes on behind the first', async () => {
    const { begin, commit, counted } = await started({ lost: [2] });
    const submitted = { ...fired, submitted: true };
    const wanted = await begin(item(fired), item(submitted, false));
    await expect(commit(wanted)).rejects.toThrow('lost');
    expect(await commit(wanted)).toMatchObject({ outcome: 'committed' });
    expect(counted).toEqual(['fired']);
  });
});

describe('a record that is loaded', () => {
  it('MC-SCH-050 a fired one asks for the submission of its run again, and one that was submitted for nothing', async () => {
    const { world, store, put, position } = await started();
    await put(fired);
    const stored = await world.finish(store.load('s1'));
    expect(stored).toMatchObject({
      position: await position(),
      envelope: { effects: [{ effect: { type: 'effect.submit', run: RUN } }] },
    });
    await put({ ...fired, submitted: true });
    expect((await world.finish(store.load('s1')))!.envelope.effects).toEqual([]);
    expect(await world.finish(store.load('s9'))).toBeUndefined();
  });

  it('that cannot be read is in trouble, and says which', async () => {
    const { world, store, put } = await started();
    await put({ ...fired, id: 'another' });
    await expect(world.finish(store.load('s1'))).rejects.toThrow('the record s1 in mcs_schedules');
  });
});

describe('the log of a record, as the inspector replays it', () => {
  it('leads the chart through the states that the record remembers', () => {
    const found = { reasons: [], fireAt: at(30_000) };
    const unfit = { ...found, reasons: ['too long'] };
    let record = storedSchedule();
    const take = (event: Parameters<typeof steppedSchedule>[1]): void => {
      record = steppedSchedule(record, event);
    };
    take({ type: 'evaluated', at: AOS, found: unfit });
    take({ type: 'operator.validate', at: AOS + 1, by: 'eve', found });
    take({ type: 'evaluated', at: AOS + 2, found: unfit });
    take({ type: 'start.reached', at: AOS + 3, found: unfit, reasons: [], run: RUN });
    const log = logOf(record)!;
    const driven = drive(scheduleMachine, { input: log.input as never, at: log.steps[0]!.at });
    const states = [driven.state];
    for (const step of log.steps.slice(1)) {
      driven.send(...(step.told as never[]));
      states.push(driven.state);
    }
    expect(states).toEqual(['scheduled', 'at_risk', 'scheduled', 'at_risk', 'missed']);
    expect(log.steps.map(({ event }) => event)).toEqual(states);
    expect(log.steps.map(({ detail }) => detail)).toEqual([
      undefined,
      'too long',
      'by eve',
      'too long',
      'too long',
    ]);
  });
});
