/** The entries of the runs of a shard that are not over. */

import { beforeEach, describe, expect, it } from 'vitest';
import { OpenRuns } from '../../../actors/run/open-runs.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { OpenRun } from '../../../contract/run-wire.ts';
import { LogBus } from '../telecommand/log-bus.ts';

const OPEN: OpenRun = { run: 'r1', ir: 'abc', by: 'ana', submittedAt: 5 };
const ALARM = 'alarm sat1.voltage';

let bus: LogBus;
let runs: OpenRuns;

beforeEach(() => {
  bus = new LogBus();
  runs = new OpenRuns(bus, '3');
});

const stand = (run: string, text: string) =>
  bus.bucket(buckets.openRuns).overwrite(`3.${run}`, Buffer.from(text));

it.each([
  ['no JSON', '{"run":"r1"'],
  ['nothing', 'null'],
  ['no run', '{"ir":"abc"}'],
  ['a run that is no name', '{"run":1,"ir":"abc"}'],
  ['no program', '{"run":"r1"}'],
  ['a program that is no name', '{"run":"r1","ir":{}}'],
])(
  'open-runs.U3 an entry that cannot be read is skipped and reported, and written over by whoever enters the run: %s',
  async (_, text) => {
    await stand('r1', text);
    await runs.enter({ ...OPEN, run: 'r2' });
    const unreadable: string[] = [];
    expect((await runs.list((key) => unreadable.push(key))).map(({ run }) => run)).toEqual(['r2']);
    expect(unreadable).toEqual(['3.r1']);
    expect(await runs.find('r1')).toBeUndefined();
    expect(await runs.enter(OPEN)).toEqual(OPEN);
    expect(await runs.find('r1')).toEqual(OPEN);
  },
);

it('one that is entered already stays as it is', async () => {
  await runs.enter(OPEN);
  expect(await runs.enter({ ...OPEN, by: 'bea' })).toEqual(OPEN);
  expect(await runs.list()).toEqual([OPEN]);
});

describe('open-runs.U2 a pending suspension', () => {
  it('stands in the entry until it is forgotten', async () => {
    await runs.enter(OPEN);
    await runs.wish('r1', 'bea');
    expect(await runs.find('r1')).toEqual({ ...OPEN, suspendBy: 'bea' });
    await runs.wish('r1', undefined);
    expect(await runs.find('r1')).toEqual(OPEN);
  });

  it('of a reaction is forgotten for that reaction, and no other one', async () => {
    await runs.enter(OPEN);
    await runs.wish('r1', 'bea');
    await runs.unwish('r1', ALARM);
    expect((await runs.find('r1'))?.suspendBy).toBe('bea');
    await runs.wish('r1', ALARM);
    await runs.unwish('r1', ALARM);
    expect(await runs.find('r1')).toEqual(OPEN);
  });

  it('is not kept of a run that is over, or of one that cannot be read', async () => {
    await runs.wish('r1', 'bea');
    expect(await runs.find('r1')).toBeUndefined();
    await stand('r1', 'null');
    await runs.wish('r1', 'bea');
    expect(await runs.find('r1')).toBeUndefined();
  });
});

it('what is removed is not there any more', async () => {
  await runs.enter(OPEN);
  await runs.remove('r1');
  await runs.remove('r1');
  expect(await runs.list()).toEqual([]);
});
