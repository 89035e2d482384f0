import { expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { OrderedAppend } from '../../telemetry/ordered-append.ts';
import { ValuePublisher } from '../../telemetry/value-publisher.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { keptLog } from '../support/silent-log.ts';
import { FakeBus } from './fake-bus.ts';

const VALUES = { platform: 'p', link: 'uhf', deferred: false, blocks: [], reports: [] };

it('telemetry-owner.O5 what a moment changes is published where the stream holds nothing of the target any more: aged out, or emptied', async () => {
  const bus = new FakeBus();
  const refused: string[] = [];
  const publisher = new ValuePublisher({
    target: 'sat1',
    epoch: 2,
    appends: new OrderedAppend({ bus, stream: streams.values, clock: new ManualClock(0), log: keptLog() }),
    revision: () => 'r1',
    stored: () => undefined,
    moved: () => undefined,
    settled: () => undefined,
    refused: () => void refused.push('another owner'),
  });
  publisher.begin({ decoded: 9, values: 500 }, undefined);
  expect(publisher.goOn(undefined)).toBe(9);
  for (const at of [1_000, 2_000]) {
    publisher.publishTurned(at, VALUES, undefined, publisher.tail);
    await settled();
  }
  expect([refused, bus.messages(streams.values).length]).toEqual([[], 2]);
  expect(publisher.positions).toEqual({ decoded: 9, values: 2 });
});
