/**
 * What the list of runs shows, written as a log grows: on a clock moved by hand, before a bucket that notes its writes.
 */

import { describe, expect, it } from 'vitest';
import { IndexWriter } from '../../../actors/run/index-writer.ts';
import type { RunSummary } from '../../../contract/run.ts';
import type { Bus } from '../../../ports/bus.ts';
import { HeapClock } from '../../../supervision/clock.ts';

class Bench {
  readonly clock = new HeapClock(0);
  readonly written: RunSummary[] = [];
  readonly ending = new AbortController();
  holds = true;
  /** Called when the revision of the entry is asked for. */
  asked = (): void => undefined;
  readonly writer: IndexWriter;

  constructor() {
    const bucket = {
      get: async () => {
        this.asked();
        return undefined;
      },
      put: async (_key: string, value: Uint8Array) => {
        this.written.push(JSON.parse(Buffer.from(value).toString()) as RunSummary);
        return { outcome: 'written', revision: this.written.length };
      },
    };
    const bus = { bucket: () => bucket } as unknown as Bus;
    this.writer = new IndexWriter(bus, this.clock, this.ending.signal, () => this.holds);
  }

  /** The times of what is written so far, once everything that was begun is. */
  async times(): Promise<(string | undefined)[]> {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    return this.written.map(({ updated_at: at }) => at);
  }
}

const summary = (at: string, more: Partial<RunSummary> = {}): RunSummary => ({
  run: 'r',
  procedure: 'p',
  environment: 'bench',
  targets: {},
  suspended: false,
  step: 'a',
  updated_at: at,
  ...more,
});

describe('the entry of a run in the list', () => {
  it('is written at once when what it shows has changed', async () => {
    const bench = new Bench();
    bench.writer.changed(summary('1'));
    bench.writer.changed(summary('2', { step: 'b' }));
    bench.writer.changed(summary('3', { step: 'c' }));
    expect(await bench.times()).toEqual(['1', '3']);
  });

  it('is written a second later when nothing but its time has (index-writer.I3)', async () => {
    const bench = new Bench();
    bench.writer.changed(summary('1'));
    await bench.times();
    for (const at of ['2', '3', '4']) {
      bench.writer.changed(summary(at));
      expect(await bench.times()).toEqual(['1']);
    }
    bench.clock.advance(1_000);
    expect(await bench.times()).toEqual(['1', '4']);
  });

  it('is written at the end of the run whatever was put off, and nothing behind it (index-writer.I1)', async () => {
    const bench = new Bench();
    bench.writer.changed(summary('1'));
    await bench.times();
    bench.writer.changed(summary('2'));
    await bench.writer.settled('r');
    expect(await bench.times()).toEqual(['1', '2']);
    bench.clock.advance(5_000);
    expect(await bench.times()).toEqual(['1', '2']);
  });

  it('is not written any more by an owner that has stopped', async () => {
    const bench = new Bench();
    bench.writer.changed(summary('1'));
    await bench.times();
    bench.writer.changed(summary('2'));
    bench.ending.abort('stopped');
    bench.clock.advance(5_000);
    expect(await bench.times()).toEqual(['1']);
  });

  it('is not written by an owner that was overtaken while it asked for the revision, and is by one that was only late (index-writer.I1)', async () => {
    const bench = new Bench();
    bench.asked = () => {
      bench.holds = false;
    };
    bench.writer.changed(summary('1'));
    expect(await bench.times()).toEqual([]);
    bench.asked = () => undefined;
    bench.holds = true;
    bench.clock.advance(1_000);
    expect(await bench.times()).toEqual(['1']);
  });
});
