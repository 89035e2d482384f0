import { expect, it } from 'vitest';
import { Outage } from '../../contract/outage.ts';
import { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { Bus } from '../../ports/bus.ts';
import type { KeptEnvelope } from '../../ports/entity.ts';
import { settled } from '../support/manual-clock.ts';

/** A bucket that stores what is put, and whose answer is lost while it is asked to. */
class LosingBucket {
  losing = false;
  readonly entries = new Map<string, { key: string; value: Uint8Array; revision: number }>();

  async get(key: string) {
    return this.entries.get(key);
  }

  /** What a write waits for. */
  held: Promise<void> | undefined;

  async list() {
    return [...this.entries.values()];
  }

  async put(key: string, value: Uint8Array, expected: number) {
    await this.held;
    if ((this.entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    const revision = expected + 1;
    this.entries.set(key, { key, value, revision });
    if (this.losing) throw new Outage('bus.unavailable', 'the answer is lost');
    return { outcome: 'written', revision };
  }

  async remove(key: string, expected: number) {
    if (this.entries.get(key)?.revision !== expected) return { outcome: 'conflict' };
    this.entries.delete(key);
    return { outcome: 'written', revision: 0 };
  }
}

const envelope = (revision: number): KeptEnvelope => ({
  kind: 'telecommand',
  id: 'sat1.t',
  version: 1,
  revision,
  epoch: 1,
  snapshot: {},
  timers: [],
  effects: [],
  covers: { position: revision, mark: 'm' },
});

it('what was written without an answer is taken away when the entity is over', async () => {
  const bucket = new LosingBucket();
  const kept = new KeptEnvelopes({ bucket: () => bucket } as unknown as Bus, {
    kind: 'telecommand',
    version: 1,
  });
  kept.begins('sat1.t');
  bucket.losing = true;
  await expect(kept.write(envelope(1))).rejects.toThrow('the answer is lost');
  expect(kept.mayBeKept('sat1.t')).toBe(true);
  await kept.remove('sat1.t');
  expect([...bucket.entries.keys()]).toEqual([]);
  expect(kept.mayBeKept('sat1.t')).toBe(false);
});

it('kept-envelopes.K9 looks through everything once for all who ask, and leaves what somebody has written meanwhile', async () => {
  const bucket = new LosingBucket();
  const kept = new KeptEnvelopes({ bucket: () => bucket } as unknown as Bus, {
    kind: 'telecommand',
    version: 1,
  });
  for (const id of ['a', 'b', 'c']) await bucket.put(`telecommand.${id}`, new Uint8Array(), 0);
  let lists = 0;
  bucket.list = async () => {
    lists += 1;
    return [...bucket.entries.values()];
  };
  const asked: string[] = [];
  const isOver = async (id: string): Promise<boolean> => {
    asked.push(id);
    if (id === 'b') await bucket.put('telecommand.b', new Uint8Array(), 1);
    return id !== 'c';
  };
  await Promise.all([kept.sweep(isOver), kept.sweep(async () => false)]);
  expect([lists, asked]).toEqual([1, ['a', 'b', 'c']]);
  expect([...bucket.entries.keys()]).toEqual(['telecommand.b', 'telecommand.c']);
});

it('what was written without an answer is written over by the next one', async () => {
  const bucket = new LosingBucket();
  const kept = new KeptEnvelopes({ bucket: () => bucket } as unknown as Bus, {
    kind: 'telecommand',
    version: 1,
  });
  kept.begins('sat1.t');
  bucket.losing = true;
  await expect(kept.write(envelope(1))).rejects.toThrow('the answer is lost');
  bucket.losing = false;
  expect(await kept.write(envelope(2))).toBe('written');
  await kept.remove('sat1.t');
  expect([...bucket.entries.keys()]).toEqual([]);
});

/** One whose next write waits until `arrives` is called. */
function heldUp(): { bucket: LosingBucket; kept: KeptEnvelopes; hold: () => () => void } {
  const bucket = new LosingBucket();
  const kept = new KeptEnvelopes({ bucket: () => bucket } as unknown as Bus, {
    kind: 'telecommand',
    version: 1,
  });
  const hold = (): (() => void) => {
    let arrives = (): void => undefined;
    bucket.held = new Promise((resolve) => {
      arrives = resolve;
    });
    return arrives;
  };
  return { bucket, kept, hold };
}

const READINGS = [
  ['one', (kept: KeptEnvelopes) => kept.read('sat1.t')],
  ['all of a lane', async (kept: KeptEnvelopes) => (await kept.readAll('sat1.*')).get('sat1.t')],
] as const;

it.each(READINGS)(
  'kept-envelopes.K3 reading %s waits for what an owner of before still writes, and it is taken away at the end',
  async (_, read) => {
    const { bucket, kept, hold } = heldUp();
    kept.begins('sat1.t');
    await kept.write(envelope(1));
    const arrives = hold();
    const written = kept.write(envelope(2));
    kept.forget('sat1.t');
    const found = read(kept);
    await settled();
    arrives();
    await written;
    expect(await found).toMatchObject({ revision: 2 });
    expect(kept.mayBeKept('sat1.t')).toBe(true);
    await kept.remove('sat1.t');
    expect([...bucket.entries.keys()]).toEqual([]);
  },
);

it.each(READINGS)(
  'kept-envelopes.K10 a first envelope that arrives when the entity is let go is taken back, and reading %s finds none',
  async (_, read) => {
    const { bucket, kept, hold } = heldUp();
    kept.begins('sat1.t');
    const arrives = hold();
    const written = kept.write(envelope(1));
    kept.forget('sat1.t');
    const found = read(kept);
    await settled();
    arrives();
    expect(await written).toBe('written');
    expect([...bucket.entries.keys()]).toEqual([]);
    expect(await found).toBeUndefined();
  },
);

it('kept-envelopes.K10 one that arrives while the entity sleeps here, or over what an owner of before kept, stays', async () => {
  const { bucket, kept, hold } = heldUp();
  kept.begins('sat1.t');
  const first = hold();
  const asleep = kept.write(envelope(1));
  first();
  await asleep;
  const second = hold();
  const over = kept.write(envelope(2));
  kept.forget('sat1.t');
  second();
  await over;
  expect(bucket.entries.get('telecommand.sat1.t')?.revision).toBe(2);
});
