/** Pictures and readings for eyes. */

import { afterEach, describe, expect, it } from 'vitest';
import {
  FEED_HEAD_BYTES,
  FEEDS,
  type FeedDescription,
  type FeedName,
} from '../../../../contract/bench/feed.ts';
import { METRICS } from '../../../../contract/bench/metric.ts';
import { FEED_RATE_HZ, FEED_READINGS_HZ } from '../../../../contract/limits/bench.ts';
import { createStub } from '../../../../radio/stub/stub.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, startBenchWorld } from '../bench-world.ts';

let world: BenchWorld;
afterEach(async () => world.stop());

function opened(message: Uint8Array): {
  seq: number;
  uptimeMs: number;
  description: FeedDescription;
  floats: Float32Array;
} {
  const view = new DataView(message.buffer, message.byteOffset);
  const length = view.getUint16(2, true);
  const from = FEED_HEAD_BYTES + length;
  return {
    seq: view.getUint32(4, true),
    uptimeMs: view.getUint32(12, true),
    description: JSON.parse(
      Buffer.from(message.subarray(FEED_HEAD_BYTES, from)).toString(),
    ) as FeedDescription,
    floats: new Float32Array(message.slice(from).buffer),
  };
}

async function first(name: FeedName): Promise<ReturnType<typeof opened>> {
  const seen: Uint8Array[] = [];
  const stop = world.bench.feeds.watch(name, (message) => seen.push(message));
  await until(() => seen.length > 0);
  stop();
  return opened(seen[0]!);
}

describe('what is reported', () => {
  it('RB-LOG-008 pictures of the model and readings of the board', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
    await until(() => world.board().truth().frameSync);
    const spectrum = await first('spectrum');
    expect(spectrum.description).toEqual({
      kind: 'spectrum',
      source: 'stub',
      center_hz: 2_400_000_000,
      span_hz: 30_720_000,
    });
    expect(spectrum.floats).toHaveLength(1024);
    const symbols = await first('constellation');
    expect(symbols.description).toMatchObject({ kind: 'constellation', modulation: 'qpsk' });
    expect((symbols.description as { evm: number }).evm).toBeLessThan(0.3);
    const eye = await first('eye');
    const { traces, samples_per_symbol } = eye.description as { traces: number; samples_per_symbol: number };
    expect(eye.floats).toHaveLength(traces * (2 * samples_per_symbol + 1));
    const metrics = await first('metrics');
    const { values } = metrics.description as Extract<FeedDescription, { kind: 'metrics' }>;
    expect(Object.keys(values)).toEqual(Object.keys(METRICS));
    expect(values).toMatchObject({ 'rx.frame_sync': true, 'tx.gain_db': -10, 'rx.ratio': null });
  });

  it('no symbols while the demodulator does not run', async () => {
    world = await startBenchWorld();
    world.board().inject({ stuckReceiver: true });
    const { description, floats } = await first('constellation');
    expect(floats).toHaveLength(0);
    expect(description).not.toHaveProperty('evm');
  });

  it('no error vector of what no carrier is found in: a muted transmitter has points and no figure', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
    await until(() => world.board().truth().carrier);
    await accepted(world.bench.radio.gain({ tx_gain_db: -89 }));
    const { description, floats } = await first('constellation');
    expect(floats.length).toBeGreaterThan(0);
    expect(description).not.toHaveProperty('evm');
    expect(Math.max(...floats.map(Math.abs))).toBeLessThan(5);
  });

  it('feeds.E1 of a board that reports no samples only readings', async () => {
    const stub = createStub({ seed: 1, clock: realClock });
    const { truth: _, ...rest } = stub as never as Record<string, unknown>;
    const bare = Object.assign(Object.create(null), rest, {
      source: 'pl',
      name: 'a real board',
      devices: stub.devices,
      lost: stub.lost,
      read: stub.read.bind(stub),
      write: stub.write.bind(stub),
      open: stub.open.bind(stub),
      close: stub.close.bind(stub),
    });
    world = await startBenchWorld({ board: { kind: 'given', open: async () => bare } });
    const seen: string[] = [];
    for (const name of FEEDS) world.bench.feeds.watch(name, () => seen.push(name));
    await until(() => seen.includes('metrics'));
    expect(new Set(seen)).toEqual(new Set(['metrics']));
  });
});

describe('how often', () => {
  it('once for all who watch, at most so often, and not at all while nobody does', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    const idle = clock.waiting;
    const one: number[] = [];
    const other: number[] = [];
    const stopOne = world.bench.feeds.watch('spectrum', (message) => one.push(opened(message).seq));
    await clock.run(100, 5);
    const stopOther = world.bench.feeds.watch('spectrum', (message) => other.push(opened(message).seq));
    await clock.run(900, 5);
    expect(one.length).toBeGreaterThan(FEED_RATE_HZ / 2);
    expect(one.length).toBeLessThanOrEqual(FEED_RATE_HZ + 1);
    expect(one).toEqual(one.map((_, index) => index + 1));
    expect(one.slice(-other.length)).toEqual(other);
    stopOne();
    stopOther();
    expect(clock.waiting).toBe(idle);
    const readings: number[] = [];
    const stop = world.bench.feeds.watch('metrics', (message) => readings.push(opened(message).seq));
    await clock.run(1_000, 5);
    expect(readings.length).toBeLessThanOrEqual(FEED_READINGS_HZ + 1);
    expect(readings.length).toBeGreaterThan(1);
    stop();
  });

  it('a watcher that throws is called no more', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    let calls = 0;
    world.bench.feeds.watch('eye', () => {
      calls += 1;
      throw new Error('broken');
    });
    await clock.run(500, 5);
    expect(calls).toBe(1);
  });

  it('goes on when the board is back', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    let calls = 0;
    world.bench.feeds.watch('spectrum', () => {
      calls += 1;
    });
    world.board().lose('the plug is out');
    await clock.run(500, 5);
    const away = calls;
    await clock.run(2_000, 50);
    expect(calls).toBeGreaterThan(away);
  });
});
