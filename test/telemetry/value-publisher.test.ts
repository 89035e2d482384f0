import { describe, expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { OrderedAppend } from '../../telemetry/ordered-append.ts';
import { ValuePublisher } from '../../telemetry/value-publisher.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { keptLog } from '../support/silent-log.ts';
import { FakeBus } from './fake-bus.ts';

const VALUES = { platform: 'p', link: 'uhf', deferred: false, blocks: [], reports: [] };

interface Published {
  readonly bus: FakeBus;
  readonly publisher: ValuePublisher;
  readonly refused: string[];
}

function published(): Published {
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
  return { bus, publisher, refused };
}

it('telemetry-owner.O5 what a moment changes is published where the stream holds nothing of the target any more: aged out, or emptied', async () => {
  const { bus, publisher, refused } = published();
  publisher.begin({ decoded: 9, values: 500 }, undefined);
  expect(publisher.goOn(undefined)).toBe(9);
  for (const at of [1_000, 2_000]) {
    publisher.publishTurned(at, VALUES, undefined, publisher.tail);
    await settled();
  }
  expect([refused, bus.messages(streams.values).length]).toEqual([[], 2]);
  expect(publisher.positions).toEqual({ decoded: 9, values: 2 });
});

describe('published-tail.U1 published-tail.U2 what an owner before published, with one missing in front of it', () => {
  const decoded = (seq: number): StreamMessage =>
    ({ seq, at: 1_000 + seq, subject: '', data: Buffer.of(), headers: {}, pending: 0 }) as StreamMessage;

  /** Decoded messages 4 and 6 are in the value stream, behind a checkpoint that covers 3. */
  async function takenOver(): Promise<Published> {
    const at = published();
    for (const seq of [3, 4, 6]) {
      const headers = { [header.source]: String(seq) };
      await at.bus.append(streams.values, subject.values('sat1'), Buffer.of(), { headers });
    }
    const last = at.bus.messages(streams.values).at(-1)!;
    at.publisher.begin({ decoded: 3, values: 1 }, last);
    await at.publisher.readTail(at.bus, async () => undefined);
    at.publisher.goOn(last);
    return at;
  }

  /** Publishes 5, whose append waits for the function that is given, and passes 6. */
  async function passed({ bus, publisher }: Published, isOver: () => boolean): Promise<() => void> {
    let store = (): void => undefined;
    bus.gate = new Promise((resolve) => {
      store = resolve;
    });
    expect([4, 5, 6].map((seq) => publisher.has(seq))).toEqual([true, false, true]);
    void publisher.publish(decoded(5), VALUES, undefined);
    void publisher.pass(6, isOver);
    await settled();
    return store;
  }

  it('counts once the missing one is stored, and not before', async () => {
    const at = await takenOver();
    const store = await passed(at, () => false);
    expect(at.publisher.positions).toEqual({ decoded: 3, values: 1 });
    store();
    await settled();
    expect(at.publisher.positions).toEqual({ decoded: 6, values: 4 });
  });

  it('counts for nothing where the owner is over by then', async () => {
    const at = await takenOver();
    const store = await passed(at, () => true);
    store();
    await settled();
    expect(at.publisher.positions.decoded).toBe(3);
  });

  it('counts at once where nothing is missing', async () => {
    const { publisher } = await takenOver();
    void publisher.pass(4, () => false);
    expect(publisher.positions).toEqual({ decoded: 3, values: 1 });
    void publisher.pass(6, () => false);
    expect(publisher.positions).toEqual({ decoded: 6, values: 3 });
  });
});
