import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { PASS_RECEIVE_MARGIN_MS } from '../../contract/limits/pass.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredPass } from '../../contract/pass.ts';
import { PassBook } from '../../messaging/pass-book.ts';
import { upsert } from '../../mission/pass/merge.ts';
import { byAos } from '../../mission/pass/pass.ts';
import { TargetPasses } from '../../mission/pass/target-passes.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { memoryLog } from '../http/fixture.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';

type Changed = (key: string, entry: Entry | undefined) => void;

function bookOn(refusals = 0) {
  const watches = new Map<string, Changed>();
  let refused = 0;
  const bucket = ({ name }: BucketDefinition) => ({
    watch: async (_filter: string, changed: Changed) => {
      refused += 1;
      if (refused <= refusals) throw new Outage('bus.timeout', 'not yet');
      watches.set(name, changed);
      return { ready: Promise.resolve(), stop: async () => {} };
    },
  });
  const bus = { connected: true, onConnection: () => () => {}, bucket } as unknown as Bus;
  const clock = new ManualClock(0);
  const log = memoryLog();
  const book = new PassBook({ bus, clock, log });
  let revision = 0;
  const put = (key: string, value: Uint8Array | undefined): number => {
    revision += 1;
    const entry = value && { key, value, revision, at: 0 };
    watches.get(buckets.passes.name)!(key, entry);
    return revision;
  };
  return { book, put, log, clock };
}

function stored(target: string, id: string, minute: number): StoredPass {
  const at = (ms: number): string => new Date(ms).toISOString();
  const window = { aos: at(minute * 60_000), los: at((minute + 10) * 60_000) };
  const pass = {
    id,
    target,
    station: 'kiruna',
    max_elevation: '1 deg',
    source: 'fds',
    status: 'predicted',
  } as const;
  return upsert(new TargetPasses(), { ...pass, ...window }, { feeder: 'fds', at: at(0) });
}
const bytesOf = (pass: StoredPass): Uint8Array => Buffer.from(JSON.stringify(pass));

it('pass-book.K3 lists by AOS whatever came, moved and left between two readers', async () => {
  const step = fc.record({
    target: fc.constantFrom('sat1', 'sat2'),
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    minute: fc.option(fc.integer({ min: 0, max: 20 })),
    reads: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { book, put } = bookOn();
      await settled();
      const model = new Map<string, StoredPass>();
      for (const { target, id, minute, reads } of steps) {
        const key = `${target}.${id}`;
        if (minute === null) model.delete(key);
        else model.set(key, stored(target, id, minute));
        const pass = model.get(key);
        put(key, pass && bytesOf(pass));
        if (!reads) continue;
        const sorted = [...model.values()].sort(byAos);
        expect(book.passes()).toEqual(sorted);
        expect(book.passes(target)).toEqual(sorted.filter((each) => each.target === target));
      }
    }),
  );
});

it('pass-book.K4 knows which passes of a target are in progress, whatever comes, moves and leaves', async () => {
  const step = fc.record({
    target: fc.constantFrom('sat1', 'sat2'),
    id: fc.constantFrom('a', 'b', 'c'),
    minute: fc.option(fc.integer({ min: 0, max: 30 })),
    now: fc.integer({ min: -2, max: 42 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { book, put } = bookOn();
      await settled();
      for (const { target, id, minute, now } of steps) {
        put(`${target}.${id}`, minute === null ? undefined : bytesOf(stored(target, id, minute)));
        for (const each of ['sat1', 'sat2']) {
          const at = now * 60_000;
          const within = (marginMs: number) =>
            book
              .passes(each)
              .filter(({ aos, los }) => Date.parse(aos) - marginMs <= at && at < Date.parse(los) + marginMs);
          expect(book.inProgress(each, at)).toEqual(within(0));
          expect(book.near(each, at)).toEqual(within(PASS_RECEIVE_MARGIN_MS));
        }
      }
    }),
  );
});

it('pass-book.K1 leaves out what cannot be read, and reports it; a pass that becomes so leaves', async () => {
  const { book, put, log } = bookOn();
  await settled();
  put('sat1.a', bytesOf(stored('sat1', 'a', 1)));
  put('sat1.b', bytesOf(stored('sat1', 'b', 2)));
  put('sat1.b', Buffer.from('{'));
  put('sat1.c', bytesOf(stored('sat1', 'a', 3)));
  expect(book.passes().map(({ id }) => id)).toEqual(['a']);
  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'error']);
});

it.each<[string, object]>([
  ['no elevation', { max_elevation: undefined }],
  ['an elevation that is a number', { max_elevation: 40 }],
  ['another uplink than yes or no', { uplink: 'no' }],
  ['a transceiver that is null', { transceiver: null }],
  ['a protocol that is a number', { protocol: 3 }],
  ['rates that are null', { rates: null }],
  ['a rate that is a number', { rates: { downlink: 9600 } }],
  ['a contribution that is null', { contributions: { fds: null } }],
  [
    'a rate of a contribution that is a number',
    { contributions: { fds: { ...stored('sat1', 'a', 1), rates: { uplink: 9600 } } } },
  ],
])('pass-book.K1 leaves out a pass with %s, and reports it', async (_what, more) => {
  const { book, put, log } = bookOn();
  await settled();
  put('sat1.a', Buffer.from(JSON.stringify({ ...stored('sat1', 'a', 1), ...more })));
  expect(book.passes()).toEqual([]);
  expect(log.lines.map(({ message }) => message)).toEqual(['malformed pass: left out']);
});

it('pass-book.K2 waits until what was written is seen, and not for ever', async () => {
  const { book, put, clock } = bookOn();
  await settled();
  const order: string[] = [];
  const seen = book.seen(1).then(() => order.push('seen'));
  order.push('before');
  put('sat1.a', bytesOf(stored('sat1', 'a', 1)));
  await seen;
  expect(order).toEqual(['before', 'seen']);
  const never = book.seen(99);
  clock.advance(60_000);
  await never;
});

it('kept-watch.W2 pass-book is known in the end where the bus is there and refuses at first', async () => {
  const { book, clock, log } = bookOn(4);
  let isReady = false;
  void book.ready.then(() => {
    isReady = true;
  });
  await settled();
  expect([book.known, isReady]).toEqual([false, false]);
  for (let round = 0; round < 3; round += 1) {
    clock.advance(BUS_RETRY_MS);
    await settled();
  }
  expect([book.known, book.live, isReady]).toEqual([true, true, true]);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
});

it('kept-watch.W2 nobody who waits for the pass-book is left waiting when it stops', async () => {
  const { book, clock } = bookOn(Number.POSITIVE_INFINITY);
  await settled();
  await book.stop();
  await book.ready;
  clock.advance(60_000);
  await settled();
  expect(book.known).toBe(false);
});

it('makes the text of a change once for all who ask for it, and none for nobody', async () => {
  const { book, put } = bookOn();
  await settled();
  const texts: (string | undefined)[] = [];
  for (let n = 0; n < 3; n += 1) book.onChange(({ text }) => void texts.push(text()));
  put('sat1.a', bytesOf(stored('sat1', 'a', 1)));
  expect(JSON.parse(texts[0]!)).toMatchObject({ pass: { id: 'a', target: 'sat1' } });
  expect(new Set(texts).size).toBe(1);
  put('sat1.a', undefined);
  expect(texts.slice(3)).toEqual([undefined, undefined, undefined]);
});
