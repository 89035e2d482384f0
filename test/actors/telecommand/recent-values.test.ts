/** The last values of a target, for verifications that begin a moment after their telecommand left. */

import { beforeEach, describe, expect, it } from 'vitest';
import { RecentValues, type ValueMessage } from '../../../actors/telecommand/recent-values.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { platformOf, valuesOf } from '../../telemetry/platform.ts';
import { LogBus } from './log-bus.ts';

const PLATFORM = platformOf({ 'obc.mode': { type: 'u8' } });

let bus: LogBus;
let clock: ManualClock;
let recent: RecentValues;

beforeEach(() => {
  bus = new LogBus();
  clock = new ManualClock(0);
  recent = new RecentValues({ bus, clock, log: keptLog(), target: 'sat1' });
});

/** One message on the value stream; the stream begins with message 1. */
async function value(): Promise<void> {
  const batch = valuesOf(PLATFORM, [{ ground: clock.now(), raw: { 'obc.mode': 1 } }]);
  await bus.append(streams.values, subject.values('sat1'), encodeBatch(batch));
  await settled();
}

/** The positions that a listener is handed, with whether each is the last; undefined where it is to read alone. */
function listen(position: number): [number, boolean][] | undefined {
  const handed: [number, boolean][] = [];
  const hear = ({ seq }: ValueMessage, isLast: boolean): number => handed.push([seq, isLast]);
  return recent.listen(position, hear) ? handed : undefined;
}

/** Begins to follow behind `stored` messages. */
async function followedBehind(stored: number): Promise<void> {
  for (let n = 0; n < stored; n += 1) await value();
  expect(listen(stored)).toBeUndefined();
  await settled();
}

describe('recent-values.X1', () => {
  it('the first one reads alone, and each behind it is handed what came since, once and in order', async () => {
    await followedBehind(2);
    const first = listen(2);
    await value();
    await value();
    const second = listen(3);
    await value();
    expect(first).toEqual([
      [3, true],
      [4, true],
      [5, true],
    ]);
    expect(second).toEqual([
      [3, false],
      [4, true],
      [5, true],
    ]);
  });

  it('one that asks for what was stored before it was followed reads alone', async () => {
    await followedBehind(2);
    await value();
    expect(listen(1)).toBeUndefined();
    expect(listen(2)).toEqual([[3, true]]);
  });
});

describe('recent-values.X4', () => {
  it('what is older than ten seconds is not kept, and whoever asks for it reads alone', async () => {
    await followedBehind(0);
    await value();
    await clock.run(6_000, 1_000);
    await value();
    await clock.run(4_000, 1_000);
    await value();
    expect(listen(0), 'ten seconds old').toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    await clock.run(1_000, 1_000);
    await value();
    expect(listen(0)).toBeUndefined();
    expect(listen(1)).toEqual([
      [2, false],
      [3, false],
      [4, true],
    ]);
  });

  it('the newest one is kept however long nothing came before it', async () => {
    await followedBehind(0);
    listen(0);
    await value();
    await clock.run(60_000, 1_000);
    await value();
    expect(listen(1)).toEqual([[2, true]]);
  });

  it('256 of the same moment are kept, and not one more', async () => {
    await followedBehind(0);
    for (let n = 0; n < 256; n += 1) await value();
    expect(listen(0)).toHaveLength(256);
    await value();
    expect(listen(0)).toBeUndefined();
    expect(listen(1)).toHaveLength(256);
  });
});

describe('recent-values.X2', () => {
  it('is followed for thirty seconds behind the last listener, and begins again behind that', async () => {
    await followedBehind(0);
    const hear = (): void => undefined;
    expect(recent.listen(0, hear)).toBe(true);
    recent.leave(hear);
    await clock.run(29_000, 1_000);
    expect(bus.listening).toBe(1);
    await clock.run(1_000, 1_000);
    expect(bus.listening).toBe(0);
    await value();
    expect(listen(1)).toBeUndefined();
    await settled();
    expect(listen(1)).toEqual([]);
  });
});
