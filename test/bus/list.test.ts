/** How long a list may take: the time counts from the entry that came last. On a cursor by hand. */

import type { Msg } from 'nats';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Reading } from '../../bus/cursor.ts';
import type { JetStream } from '../../bus/jetstream.ts';
import { Past } from '../../bus/past.ts';
import { list, type WatchTools } from '../../bus/watch.ts';
import { BUS_LIST_MS, BUS_REQUEST_MS } from '../../contract/limits/bus.ts';
import { Outage } from '../../contract/outage.ts';
import type { Entry } from '../../ports/bus.ts';
import { keptLog } from '../support/silent-log.ts';

const BUCKET = { name: 'mcs_slow', history: 1 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function listing() {
  const readings: Reading[] = [];
  let stops = 0;
  const tools = {
    jetstream: { retrying: (_: unknown, attempt: (left: () => number) => unknown) => attempt(() => 1_000) },
    assets: { bucket: () => ({ ensure: async () => ({ stream: 'KV_mcs_slow', identity: 'once' }) }) },
    cursors: {
      open: (reading: Reading) => {
        readings.push(reading);
        return {
          stop: async () => {
            stops += 1;
          },
        };
      },
    },
    past: new Past({} as JetStream),
    log: keptLog(),
  } as unknown as WatchTools;
  const over: (readonly Entry[] | Outage)[] = [];
  void list(tools, BUCKET, '>').then(
    (entries) => over.push(entries),
    (error: unknown) => over.push(error as Outage),
  );
  await vi.advanceTimersByTimeAsync(0);
  const [reading] = readings as [Reading];
  const arrives = async (n: number, afterMs: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(afterMs);
    const message = { subject: `$KV.mcs_slow.k${n}`, data: Buffer.from(String(n)) } as unknown as Msg;
    if (stops === 0) await reading.deliver(message, { seq: n, at: n, delivery: n, pending: 0 });
  };
  return { arrives, atHead: () => reading.atHead(), over, stops: () => stops };
}

/** No timer of it is left, which would stop it again. */
async function endsOnce(stops: () => number): Promise<void> {
  const before = stops();
  expect(before).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(2 * BUS_LIST_MS);
  expect(stops()).toBe(before);
}

describe('watch.L1 a list', () => {
  it('goes on while entries keep coming', async () => {
    const { arrives, atHead, over, stops } = await listing();
    for (let n = 1; n <= 20; n += 1) await arrives(n, BUS_REQUEST_MS - 1);
    expect(over).toEqual([]);
    atHead();
    await vi.advanceTimersByTimeAsync(0);
    expect(over).toMatchObject([Array.from({ length: 20 }, (_, n) => ({ key: `k${n + 1}` }))]);
    await endsOnce(stops);
  });

  it('counts what comes again, behind the loss of its consumer, and changes nothing', async () => {
    const { arrives, over } = await listing();
    for (let round = 0; round < 10; round += 1) await arrives(1, BUS_REQUEST_MS - 1);
    expect(over).toEqual([]);
  });

  it.each([0, 1, 20])('ends a moment behind the last of %i entries, where no more come', async (count) => {
    const { arrives, over, stops } = await listing();
    for (let n = 1; n <= count; n += 1) await arrives(n, BUS_REQUEST_MS - 1);
    await vi.advanceTimersByTimeAsync(BUS_REQUEST_MS - 1);
    expect(over).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(over).toMatchObject([{ code: 'bus.unavailable' }]);
    expect(over[0]).toBeInstanceOf(Outage);
    await endsOnce(stops);
  });

  it('ends however many entries come, for whoever asked waits', async () => {
    const { arrives, over } = await listing();
    for (let n = 1; n * 2_000 < BUS_LIST_MS; n += 1) await arrives(n, 2_000);
    expect(over).toEqual([]);
    await arrives(1_000, 2_000);
    expect(over).toMatchObject([{ code: 'bus.unavailable' }]);
  });
});
