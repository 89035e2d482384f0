/** When envelopes are written beside logs, how many at once, by whom, and what becomes of those that cannot be. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { KEPT_ENVELOPE_BYTES, KEPT_WRITES } from '../../../contract/limits/cell.ts';
import { Outage } from '../../../contract/outage.ts';
import { KeptEnvelopes } from '../../../messaging/kept-envelopes.ts';
import type { KeptEnvelope } from '../../../ports/entity.ts';
import { KeptWriter } from '../../../supervision/cells/kept-writer.ts';
import { LogBus } from '../../actors/telecommand/log-bus.ts';
import { envelopeIn } from '../../support/kept-life.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

class FakeCell {
  readonly id: string;
  readonly epoch: number;
  alive = true;
  busy = false;
  revision = 1;
  note = '';

  constructor(id: string, epoch = 1) {
    this.id = id;
    this.epoch = epoch;
  }

  kept(): KeptEnvelope | undefined {
    if (this.busy) return undefined;
    const { id, epoch, revision, note } = this;
    return {
      kind: 'order',
      id,
      version: 1,
      revision,
      epoch,
      timers: [],
      effects: [],
      snapshot: { note },
      covers: { position: revision, mark: 'm' },
    };
  }
}

function world(bus = new LogBus()) {
  const clock = new ManualClock(0);
  const log = keptLog();
  const kept = new KeptEnvelopes(bus, { kind: 'order', version: 1 });
  const writer = new KeptWriter({ kind: 'order', kept, clock, log });
  const bucket = bus.bucket(buckets.actors);
  const revisionOf = (id: string): number | undefined => {
    const entry = bucket.entries.get(`order.${id}`);
    return entry && envelopeIn(entry.value).revision;
  };
  const seconds = async (count: number): Promise<void> => {
    await clock.run(count * 1_000, 100);
  };
  return { bus, bucket, clock, log, kept, writer, revisionOf, seconds };
}

describe('an envelope beside a log', () => {
  it('kept-writer.K7 is written one to two seconds behind a change, as the cell is by then', async () => {
    const { writer, revisionOf, seconds, clock } = world();
    const cell = new FakeCell('a');
    writer.changed(cell);
    await seconds(0.9);
    cell.revision = 2;
    writer.changed(cell);
    expect(revisionOf('a')).toBeUndefined();
    await seconds(1.1);
    expect(revisionOf('a')).toBe(2);
    await seconds(3);
    expect(clock.waiting, 'nothing is timed while nothing changes').toBe(0);
  });

  it('kept-writer.K7 is never written of a cell that ends within a second', async () => {
    const { writer, bucket, seconds } = world();
    for (let n = 0; n < 20; n += 1) {
      const cell = new FakeCell(`short${n}`);
      writer.changed(cell);
      await seconds(0.9);
      cell.alive = false;
      writer.gone(cell);
    }
    await seconds(3);
    expect(bucket.entries.size).toBe(0);
  });

  it('kept-writer.K7 is written once a second at most while the cell is busy', async () => {
    const { writer, bucket, seconds } = world();
    const cell = new FakeCell('a');
    let writes = 0;
    const put = bucket.put.bind(bucket);
    bucket.put = (...args) => {
      writes += 1;
      return put(...args);
    };
    for (let n = 0; n < 100; n += 1) {
      cell.revision += 1;
      writer.changed(cell);
      await seconds(0.1);
    }
    expect(writes).toBeGreaterThanOrEqual(4);
    expect(writes).toBeLessThanOrEqual(10);
  });

  it('kept-writer.K6 is taken as soon as nothing is under way, of a cell that was busy when it was due', async () => {
    const { writer, revisionOf, seconds } = world();
    const cell = new FakeCell('a');
    cell.busy = true;
    writer.changed(cell);
    await seconds(5);
    expect(revisionOf('a')).toBeUndefined();
    cell.busy = false;
    writer.changed(cell);
    await settled();
    expect(revisionOf('a')).toBe(1);
  });

  it('is written of a cell that leaves the memory, if anything is not written of it', async () => {
    const { writer, revisionOf, bucket } = world();
    const cell = new FakeCell('a');
    writer.changed(cell);
    writer.sleeps(cell);
    await settled();
    expect(revisionOf('a')).toBe(1);
    bucket.entries.clear();
    writer.sleeps(cell);
    await settled();
    expect(revisionOf('a'), 'all of it is written').toBeUndefined();
  });

  it('kept-writer.K8 is one of a few at once, and all are written', async () => {
    const { writer, bucket, seconds } = world();
    let open = 0;
    let most = 0;
    const put = bucket.put.bind(bucket);
    bucket.put = async (...args) => {
      open += 1;
      most = Math.max(most, open);
      await settled();
      open -= 1;
      return put(...args);
    };
    for (let n = 0; n < 200; n += 1) writer.changed(new FakeCell(`c${n}`));
    await seconds(8);
    expect([bucket.entries.size, most]).toEqual([200, KEPT_WRITES]);
  });

  it('kept-writer.K8 is tried again when it could not be written, which is said once', async () => {
    const { writer, bucket, log, revisionOf, seconds } = world();
    const put = bucket.put.bind(bucket);
    bucket.put = async () => {
      throw new Outage('bus.unavailable', 'no room');
    };
    writer.changed(new FakeCell('a'));
    writer.changed(new FakeCell('b'));
    await seconds(10);
    expect(log.said.map(({ message }) => message)).toEqual([expect.stringContaining('not kept')]);
    bucket.put = put;
    await seconds(3);
    expect([revisionOf('a'), revisionOf('b')]).toEqual([1, 1]);
  });

  it('is not written when it is too large, which is said once; the one before stays', async () => {
    const { writer, log, revisionOf, seconds } = world();
    const cell = new FakeCell('a');
    writer.changed(cell);
    await seconds(3);
    cell.note = 'x'.repeat(KEPT_ENVELOPE_BYTES);
    for (cell.revision = 2; cell.revision < 5; cell.revision += 1) {
      writer.changed(cell);
      await seconds(3);
    }
    expect(revisionOf('a')).toBe(1);
    expect(log.said.map(({ message }) => message)).toEqual([expect.stringContaining('too large')]);
  });
});

describe('two owners of an entity', () => {
  it('kept-envelopes.K2 the later one writes over the earlier, which then writes no more', async () => {
    const bus = new LogBus();
    const [earlier, later] = [world(bus), world(bus)];
    const [old, heir] = [new FakeCell('a', 4), new FakeCell('a', 7)];
    earlier.writer.changed(old);
    await earlier.seconds(3);
    heir.revision = 5;
    later.writer.changed(heir);
    await later.seconds(3);
    expect(later.revisionOf('a'), 'the heir did not know what stood there').toBe(5);
    old.revision = 2;
    earlier.writer.changed(old);
    await earlier.seconds(3);
    old.revision = 9;
    earlier.writer.changed(old);
    await earlier.seconds(3);
    expect(earlier.revisionOf('a')).toBe(5);
    heir.revision = 6;
    later.writer.changed(heir);
    await later.seconds(3);
    expect(later.revisionOf('a')).toBe(6);
  });

  it('kept-envelopes.K2 one finds its own write again whose answer was lost', async () => {
    const { writer, bucket, revisionOf, seconds } = world();
    const cell = new FakeCell('a');
    bucket.loseAnswer = true;
    writer.changed(cell);
    await seconds(5);
    cell.revision = 2;
    writer.changed(cell);
    await seconds(5);
    expect(revisionOf('a')).toBe(2);
  });
});

describe('an entity that is over', () => {
  it('kept-envelopes.K3 leaves nothing behind, also of a write that was under way', async () => {
    const { writer, kept, bucket, seconds } = world();
    const cell = new FakeCell('a');
    let release = (): void => undefined;
    const put = bucket.put.bind(bucket);
    bucket.put = async (...args) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return put(...args);
    };
    writer.changed(cell);
    await seconds(3);
    writer.gone(cell);
    expect(kept.mayBeKept('a')).toBe(true);
    const removed = kept.remove('a');
    release();
    await removed;
    expect([bucket.entries.size, kept.mayBeKept('a')]).toEqual([0, false]);
  });

  it('asks the bus nothing when nothing was ever kept of it', async () => {
    const { kept, bucket } = world();
    bucket.remove = () => {
      throw new Error('asked');
    };
    await kept.remove('never');
    expect(kept.mayBeKept('never')).toBe(false);
  });
});
