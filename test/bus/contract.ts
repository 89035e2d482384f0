/**
 * What every bus keeps, whatever it is made of: ports/bus.P1 to P6 and the addresses of address.K1. Run on the real
 * server and on the twin of the simulation.
 */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BucketDefinition, ObjectsDefinition } from '../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { BUS_REQUEST_MS } from '../../contract/limits/bus.ts';
import type { Bus, CoreMessage, Entry, StreamMessage } from '../../ports/bus.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';

/** One bus that several processes share, as a test sees it. */
export interface BusWorld {
  /**
   * Another process on it, connected; it takes nobody for absent before it has been connected for so long, default 0.
   */
  open(name: string, settleMs?: number): Promise<Bus>;
  /** The bus is gone for everybody; what was acknowledged is kept. */
  lose(): Promise<void>;
  /** The bus is back; processes find it by themselves. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const HOUR = 3_600_000;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined) => new TextDecoder().decode(data);
/** Long enough for a write to outlast a restart of the bus. */
const PATIENT_MS = 20_000;

/** Registers the tests of every promise of the port against the world that `start` makes. */
export function busContract(kind: string, start: () => Promise<BusWorld>): void {
  describe(`bus contract: ${kind}`, () => {
    let world: BusWorld;
    let bus: Bus;
    let other: Bus;
    let count = 0;
    beforeAll(async () => {
      world = await start();
      [bus, other] = await Promise.all([world.open('first'), world.open('second')]);
    });
    afterAll(() => world.close());

    const freshStream = (): StreamDefinition & { at: (...rest: string[]) => string } => {
      const name = `t${++count}`;
      return {
        name: name.toUpperCase(),
        subjects: [`mcs.${name}.>`],
        maxAgeMs: HOUR,
        dedupeMs: 120_000,
        at: (...rest) => ['mcs', name, ...rest].join('.'),
      };
    };
    const freshBucket = (): BucketDefinition => ({ name: `mcs_t${++count}`, history: 1 });

    describe('append (bus.P1)', () => {
      it('stores at rising positions, from 1', async () => {
        const stream = freshStream();
        expect(await bus.append(stream, stream.at('a'), bytes('1'))).toEqual({ outcome: 'stored', seq: 1 });
        expect(await other.append(stream, stream.at('b'), bytes('2'))).toEqual({ outcome: 'stored', seq: 2 });
      });

      it('stores a message id once, and says where it stands', async () => {
        const stream = freshStream();
        const append = (by: Bus) => by.append(stream, stream.at('a'), bytes('1'), { id: 'x-1' });
        expect(await append(bus)).toEqual({ outcome: 'stored', seq: 1 });
        expect(await append(other)).toEqual({ outcome: 'duplicate', seq: 1 });
        expect(await append(bus)).toEqual({ outcome: 'duplicate', seq: 1 });
      });

      it('stores without an id as often as it is called', async () => {
        const stream = freshStream();
        await bus.append(stream, stream.at('a'), bytes('1'));
        expect(await bus.append(stream, stream.at('a'), bytes('1'))).toEqual({ outcome: 'stored', seq: 2 });
      });

      it('holds the expectation of the last position of the subject', async () => {
        const stream = freshStream();
        const at = stream.at('a');
        const expecting = (expectLastSubjectSeq: number) =>
          bus.append(stream, at, bytes('x'), { expectLastSubjectSeq });
        expect(await expecting(0)).toEqual({ outcome: 'stored', seq: 1 });
        expect(await expecting(0)).toEqual({ outcome: 'conflict' });
        await bus.append(stream, stream.at('b'), bytes('elsewhere'));
        expect(await expecting(1)).toEqual({ outcome: 'stored', seq: 3 });
        expect(await expecting(2)).toEqual({ outcome: 'conflict' });
        expect((await bus.last(stream, at))?.seq).toBe(3);
      });

      it('says duplicate rather than conflict to an id that is already there', async () => {
        const stream = freshStream();
        const append = () =>
          bus.append(stream, stream.at('a'), bytes('x'), { id: 'a-1', expectLastSubjectSeq: 0 });
        expect(await append()).toEqual({ outcome: 'stored', seq: 1 });
        expect(await append()).toEqual({ outcome: 'duplicate', seq: 1 });
      });

      it('lets one of ten racers with the same expectation win', async () => {
        const stream = freshStream();
        const racers = await Promise.all(Array.from({ length: 10 }, (_, n) => world.open(`racer${n}`)));
        let lastSeq = 0;
        for (let round = 0; round < 5; round++) {
          const outcomes = await Promise.all(
            racers.map((racer) =>
              racer.append(stream, stream.at('a'), bytes('x'), { expectLastSubjectSeq: lastSeq }),
            ),
          );
          const stored = outcomes.filter((outcome) => outcome.outcome === 'stored');
          expect(stored).toHaveLength(1);
          expect(outcomes.filter((outcome) => outcome.outcome === 'conflict')).toHaveLength(9);
          lastSeq = stored[0]?.outcome === 'stored' ? stored[0].seq : 0;
        }
        await Promise.all(racers.map((racer) => racer.close()));
      });

      it('returns the last message of a subject with its headers and time', async () => {
        const stream = freshStream();
        expect(await bus.last(stream, stream.at('a'))).toBeUndefined();
        await bus.append(stream, stream.at('a'), bytes('old'));
        const before = Date.now() - 1_000;
        await bus.append(stream, stream.at('a'), bytes('new'), { headers: { 'Mcs-User': 'Zoë' }, id: 'n' });
        const last = await other.last(stream, stream.at('a'));
        expect(last).toMatchObject({ subject: stream.at('a'), seq: 2, headers: { 'Mcs-User': 'Zoë' } });
        expect(Object.keys(last?.headers ?? {})).toEqual(['Mcs-User']);
        expect(text(last?.data)).toBe('new');
        expect(last?.at).toBeGreaterThan(before);
      });
    });

    it('says whether a stream still holds a message that was known', async () => {
      const stream = freshStream();
      const at = stream.at('held');
      const stored = await bus.append(stream, at, bytes('x'));
      const seq = stored.outcome === 'stored' ? stored.seq : 0;
      const last = (await bus.last(stream, at))!;
      expect(await other.stillHolds(stream, { seq, at: last.at })).toBe(true);
      expect(await other.stillHolds(stream, { seq, subject: at })).toBe(true);
      expect(await other.stillHolds(stream, { seq, at: last.at + 1 })).toBe(false);
      expect(await other.stillHolds(stream, { seq, subject: stream.at('another') })).toBe(false);
      expect(await other.stillHolds(stream, { seq: seq + 1_000 })).toBe(false);
    });

    describe('follow (bus.P2)', () => {
      const fill = async (stream: StreamDefinition, at: string, from: number, to: number) => {
        for (let n = from; n <= to; n++) await bus.append(stream, at, bytes(String(n)));
      };

      it('delivers from the start, from a position, and only what comes', async () => {
        const stream = freshStream();
        const at = stream.at('a');
        await fill(stream, at, 1, 3);
        const seen = { start: [] as string[], seq: [] as string[], now: [] as string[] };
        const take = (to: string[]) => (message: StreamMessage) => {
          to.push(text(message.data));
        };
        const followers = [
          await bus.follow(stream, at, { from: 'start' }, take(seen.start)),
          await bus.follow(stream, at, { from: 'seq', seq: 2 }, take(seen.seq)),
          await bus.follow(stream, at, { from: 'now' }, take(seen.now)),
        ];
        expect(await Promise.all(followers.map((follower) => follower.caughtUp))).toEqual([3, 3, 3]);
        expect(seen).toEqual({ start: ['1', '2', '3'], seq: ['2', '3'], now: [] });
        await fill(stream, at, 4, 4);
        await until(() => [seen.start, seen.seq, seen.now].every((list) => list.at(-1) === '4'));
        expect(seen).toEqual({ start: ['1', '2', '3', '4'], seq: ['2', '3', '4'], now: ['4'] });
        await Promise.all(followers.map((follower) => follower.stop()));
      });

      it('delivers from a time what was stored then and later', async () => {
        const stream = freshStream();
        const at = stream.at('a');
        await fill(stream, at, 1, 1);
        const first = (await bus.last(stream, at))?.at ?? 0;
        await until(() => Date.now() > first + 20);
        await fill(stream, at, 2, 3);
        const second: string[] = [];
        const follower = await bus.follow(stream, at, { from: 'time', at: first + 1 }, (message) => {
          second.push(text(message.data));
        });
        await follower.caughtUp;
        expect(second).toEqual(['2', '3']);
        await follower.stop();
      });

      it('is caught up at once where nothing is stored, and receives what comes later', async () => {
        const stream = freshStream();
        const seen: string[] = [];
        const follower = await bus.follow(stream, stream.at('*', 'x'), { from: 'start' }, (message) => {
          seen.push(message.subject);
        });
        expect(await follower.caughtUp).toBe(0);
        await other.append(stream, stream.at('b', 'y'), bytes('not mine'));
        await other.append(stream, stream.at('a', 'x'), bytes('mine'));
        await until(() => seen.length > 0);
        expect(seen).toEqual([stream.at('a', 'x')]);
        await follower.stop();
      });

      it('counts the messages still to come', async () => {
        const stream = freshStream();
        await fill(stream, stream.at('a'), 1, 3);
        const pending: number[] = [];
        const follower = await bus.follow(stream, stream.at('a'), { from: 'start' }, (message) => {
          pending.push(message.pending);
        });
        await follower.caughtUp;
        expect(pending).toEqual([2, 1, 0]);
        await follower.stop();
      });

      it('hands over the next message when the handler has resolved', async () => {
        const stream = freshStream();
        await fill(stream, stream.at('a'), 1, 20);
        let open = 0;
        let most = 0;
        const order: number[] = [];
        const follower = await bus.follow(stream, stream.at('a'), { from: 'start' }, async (message) => {
          most = Math.max(most, ++open);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(message.seq);
          open -= 1;
        });
        await follower.caughtUp;
        expect(most).toBe(1);
        expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
        await follower.stop();
      });

      it.each([
        ['rejects', (): Promise<void> => Promise.reject(new Error('not yet'))],
        [
          'throws',
          (): void => {
            throw new Error('not yet');
          },
        ],
      ])('hands the same message over again when the handler %s', async (_, fail) => {
        const stream = freshStream();
        await fill(stream, stream.at('a'), 1, 3);
        const seen: number[] = [];
        let failures = 2;
        const follower = await bus.follow(stream, stream.at('a'), { from: 'start' }, (message) => {
          seen.push(message.seq);
          if (message.seq === 2 && failures-- > 0) return fail();
        });
        await follower.caughtUp;
        expect(seen).toEqual([1, 2, 2, 2, 3]);
        await follower.stop();
      });

      it('calls nobody after it was stopped, also from inside the handler', async () => {
        const stream = freshStream();
        await fill(stream, stream.at('a'), 1, 5);
        const seen: number[] = [];
        const follower = await bus.follow(stream, stream.at('a'), { from: 'start' }, async (message) => {
          seen.push(message.seq);
          if (message.seq === 2) await follower.stop();
        });
        const control: number[] = [];
        const witness = await bus.follow(stream, stream.at('a'), { from: 'start' }, (message) => {
          control.push(message.seq);
        });
        await until(() => seen.includes(2));
        await fill(stream, stream.at('a'), 6, 6);
        await until(() => control.includes(6));
        expect(seen).toEqual([1, 2]);
        await expect(follower.caughtUp).rejects.toMatchObject({ code: 'bus.unavailable' });
        await witness.stop();
      });

      it('reads far more than it prefetches, in order', async () => {
        const stream = freshStream();
        const most = 3_000;
        for (let n = 0; n < most; n += 250)
          await Promise.all(
            Array.from({ length: 250 }, (_, k) => bus.append(stream, stream.at('a'), bytes(String(n + k)))),
          );
        const quick: number[] = [];
        const slow: number[] = [];
        const followers = [
          await bus.follow(stream, stream.at('a'), { from: 'start' }, (message) => {
            quick.push(message.seq);
          }),
          await bus.follow(stream, stream.at('a'), { from: 'start' }, async (message) => {
            slow.push(message.seq);
          }),
        ];
        await Promise.all(followers.map((follower) => follower.caughtUp));
        const all = Array.from({ length: most }, (_, n) => n + 1);
        expect(quick).toEqual(all);
        expect(slow).toEqual(all);
        await Promise.all(followers.map((follower) => follower.stop()));
      });
    });

    describe('objects', () => {
      const fresh = (): ObjectsDefinition => ({ name: `mcs_o${++count}`, ttlMs: HOUR });
      const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
      async function* inPieces(content: Uint8Array, size: number): AsyncIterable<Uint8Array> {
        for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
      }

      it('keeps content under its hash, whole, for every process', async () => {
        const store = fresh();
        const content = Buffer.alloc(300_000, 'abc');
        const hash = hashOf(content);
        expect(await bus.objects(store).size(hash)).toBeUndefined();
        expect(await bus.objects(store).put(hash, inPieces(content, 70_001))).toBe(300_000);
        expect(await other.objects(store).size(hash)).toBe(300_000);
        expect(await other.objects(store).wholeSize(hash)).toBe(300_000);
      });

      it('keeps empty content, and the same content once', async () => {
        const store = fresh();
        const empty = new Uint8Array(0);
        expect(await bus.objects(store).put(hashOf(empty), inPieces(empty, 1))).toBe(0);
        expect(await bus.objects(store).size(hashOf(empty))).toBe(0);
        expect(await other.objects(store).put(hashOf(empty), inPieces(empty, 1))).toBe(0);
      });

      it('keeps nothing that is not what the hash names', async () => {
        const store = fresh();
        const hash = hashOf(bytes('right'));
        await expect(bus.objects(store).put(hash, inPieces(bytes('wrong'), 2))).rejects.toThrow(hash);
        expect(await bus.objects(store).size(hash)).toBeUndefined();
      });
    });

    describe('objects that are named', () => {
      const fresh = (): ObjectsDefinition => ({ name: `mcs_o${++count}`, ttlMs: HOUR });
      /** Bytes that say where they stand. */
      const counted = (bytes: number): Buffer =>
        Buffer.from(Uint8Array.from({ length: bytes }, (_, n) => n % 251));
      async function* inPieces(content: Uint8Array, size: number): AsyncIterable<Uint8Array> {
        for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
      }
      const read = async (store: ObjectsDefinition, name: string, range?: { from?: number; to?: number }) => {
        const content = await other.objects(store).read(name, range);
        if (content === undefined) return undefined;
        const parts: Uint8Array[] = [];
        for await (const piece of content.pieces) parts.push(piece);
        return { size: content.size, bytes: Buffer.concat(parts) };
      };

      it('MC-BUS-018 are read whole and in part, by any process', async () => {
        const store = fresh();
        const content = counted(300_001);
        expect(await read(store, 'sat1/7/2/0')).toBeUndefined();
        expect(await bus.objects(store).replace('sat1/7/2/0', inPieces(content, 70_001))).toBe(300_001);
        expect(await other.objects(store).size('sat1/7/2/0')).toBe(300_001);
        expect((await read(store, 'sat1/7/2/0'))?.bytes.equals(content)).toBe(true);
        for (const [from, to] of [
          [0, 1],
          [131_071, 131_073],
          [131_072, 262_144],
          [299_999, 400_000],
          [5, 5],
        ] as const) {
          const part = await read(store, 'sat1/7/2/0', { from, to });
          expect([from, to, part?.size, part?.bytes.equals(content.subarray(from, to))]).toEqual([
            from,
            to,
            300_001,
            true,
          ]);
        }
      });

      it('have the content of the last write, and none once removed', async () => {
        const store = fresh();
        const objects = bus.objects(store);
        await objects.replace('a/1', inPieces(counted(200_000), 9_999));
        await objects.replace('a/1', inPieces(bytes('short'), 2));
        expect(text((await read(store, 'a/1'))?.bytes)).toBe('short');
        await objects.replace('a/2', inPieces(new Uint8Array(0), 1));
        expect(await read(store, 'a/2')).toMatchObject({ size: 0 });
        await objects.remove('a/1');
        await objects.remove('a/1');
        expect(await read(store, 'a/1')).toBeUndefined();
        expect(await other.objects(store).size('a/2')).toBe(0);
      });

      it('have names of tokens alone', async () => {
        for (const name of ['', '/a', 'a//b', 'a.b', 'a b', 'a/*'])
          await expect(async () => bus.objects(fresh()).size(name)).rejects.toThrow(TypeError);
      });
    });

    describe('bucket (bus.P1)', () => {
      it('writes on the revision it names and on no other', async () => {
        const bucket = bus.bucket(freshBucket());
        expect(await bucket.get('a.b')).toBeUndefined();
        expect(await bucket.put('a.b', bytes('1'), 0)).toEqual({ outcome: 'written', revision: 1 });
        expect(await bucket.put('a.b', bytes('2'), 0)).toEqual({ outcome: 'conflict' });
        expect(await bucket.put('a.b', bytes('2'), 1)).toEqual({ outcome: 'written', revision: 2 });
        expect(await bucket.put('a.b', bytes('3'), 1)).toEqual({ outcome: 'conflict' });
        const entry = await bucket.get('a.b');
        expect(entry).toMatchObject({ key: 'a.b', revision: 2 });
        expect(text(entry?.value)).toBe('2');
      });

      it('overwrites whatever stands there', async () => {
        const bucket = bus.bucket(freshBucket());
        const first = await bucket.overwrite('k', bytes('1'));
        const second = await bucket.overwrite('k', bytes('2'));
        expect(second).toBeGreaterThan(first);
        expect((await bucket.get('k'))?.revision).toBe(second);
      });

      it('removes on the revision it names, and the key can be made again', async () => {
        const bucket = bus.bucket(freshBucket());
        await bucket.put('k', bytes('1'), 0);
        expect(await bucket.remove('k', 7)).toEqual({ outcome: 'conflict' });
        expect(await bucket.remove('k', 1)).toMatchObject({ outcome: 'written' });
        expect(await bucket.get('k')).toBeUndefined();
        expect(await bucket.list('>')).toEqual([]);
        expect(await bucket.put('k', bytes('2'), 1)).toEqual({ outcome: 'conflict' });
        const again = await bucket.put('k', bytes('2'), 0);
        expect(again.outcome).toBe('written');
        expect(text((await bucket.get('k'))?.value)).toBe('2');
      });

      it('says the revision of its last write, also of one that was a removal', async () => {
        const bucket = bus.bucket(freshBucket());
        expect(await bucket.position()).toBe(0);
        await bucket.put('a', bytes('1'), 0);
        const written = await bucket.overwrite('b', bytes('2'));
        expect(await bucket.position()).toBe(written);
        const removed = await bucket.remove('a', 1);
        expect(removed).toEqual({ outcome: 'written', revision: await bucket.position() });
      });

      it('keeps an empty value apart from a removed key', async () => {
        const bucket = bus.bucket(freshBucket());
        await bucket.put('k', new Uint8Array(0), 0);
        expect((await bucket.get('k'))?.value).toHaveLength(0);
        expect(await bucket.list('>')).toHaveLength(1);
      });

      it.each(['make', 'change', 'remove'])('lets one of ten racers %s a key', async (what) => {
        const definition = freshBucket();
        const racers = await Promise.all(Array.from({ length: 10 }, (_, n) => world.open(`racer${n}`)));
        for (let round = 0; round < 5; round++) {
          const key = `k${round}`;
          if (what !== 'make') await bus.bucket(definition).put(key, bytes('0'), 0);
          const revision = (await bus.bucket(definition).get(key))?.revision ?? 0;
          const outcomes = await Promise.all(
            racers.map((racer, n) => {
              const bucket = racer.bucket(definition);
              return what === 'remove' && n % 2 === 0
                ? bucket.remove(key, revision)
                : bucket.put(key, bytes(String(n)), revision);
            }),
          );
          expect(outcomes.filter((outcome) => outcome.outcome === 'written')).toHaveLength(1);
        }
        await Promise.all(racers.map((racer) => racer.close()));
      });

      it('lists what matches and nothing else', async () => {
        const bucket = bus.bucket(freshBucket());
        for (const key of ['a.1', 'a.2', 'b.1', 'a.1.x']) await bucket.put(key, bytes(key), 0);
        const keys = async (filter: string) => (await bucket.list(filter)).map((entry) => entry.key).sort();
        expect(await keys('>')).toEqual(['a.1', 'a.1.x', 'a.2', 'b.1']);
        expect(await keys('a.*')).toEqual(['a.1', 'a.2']);
        expect(await keys('a.>')).toEqual(['a.1', 'a.1.x', 'a.2']);
        expect(await keys('b.1')).toEqual(['b.1']);
        expect(await keys('c')).toEqual([]);
      });

      it('MC-ALM-030 lists every key while all of them are written without a pause', async () => {
        const definition = freshBucket();
        const keys = Array.from({ length: 20 }, (_, n) => `a.${n}`);
        const writeAll = () =>
          Promise.all(keys.map((key) => other.bucket(definition).overwrite(key, bytes('x'))));
        await writeAll();
        let listing = true;
        const written = (async () => {
          while (listing) await writeAll();
        })();
        const counts: number[] = [];
        for (let n = 0; n < 100; n++) counts.push((await bus.bucket(definition).list('a.*')).length);
        listing = false;
        await written;
        expect(new Set(counts)).toEqual(new Set([keys.length]));
      });
    });

    describe('watch (bus.P3)', () => {
      const watching = async (definition: BucketDefinition, filter: string) => {
        const seen: [string, string | undefined][] = [];
        const watch = await bus.bucket(definition).watch(filter, (key: string, entry: Entry | undefined) => {
          seen.push([key, entry && text(entry.value)]);
        });
        await watch.ready;
        return { seen, watch };
      };

      it('sees each key that is there, each change and each removal', async () => {
        const definition = freshBucket();
        const writer = other.bucket(definition);
        await writer.put('a', bytes('1'), 0);
        await writer.put('b', bytes('2'), 0);
        const { seen, watch } = await watching(definition, '>');
        expect([...seen].sort()).toEqual([
          ['a', '1'],
          ['b', '2'],
        ]);
        await writer.put('a', bytes('3'), 1);
        await writer.remove('b', 2);
        await until(() => seen.length >= 4);
        expect(seen.slice(2)).toEqual([
          ['a', '3'],
          ['b', undefined],
        ]);
        await watch.stop();
        await writer.put('c', bytes('4'), 0);
        await writer.put('c', bytes('5'), (await writer.get('c'))?.revision ?? 0);
        expect(seen).toHaveLength(4);
      });

      it('is ready at once on an empty bucket, and receives only what matches', async () => {
        const definition = freshBucket();
        const { seen, watch } = await watching(definition, 'member.*');
        expect(seen).toEqual([]);
        await other.bucket(definition).put('lease.x', bytes('no'), 0);
        await other.bucket(definition).put('member.x', bytes('yes'), 0);
        await until(() => seen.length > 0);
        expect(seen).toEqual([['member.x', 'yes']]);
        await watch.stop();
      });

      it('goes on when its handler throws', async () => {
        const definition = freshBucket();
        const seen: string[] = [];
        const watch = await bus.bucket(definition).watch('>', (key) => {
          seen.push(key);
          throw new Error('broken handler');
        });
        await watch.ready;
        await other.bucket(definition).put('a', bytes('1'), 0);
        await other.bucket(definition).put('b', bytes('1'), 0);
        await until(() => seen.length >= 2);
        expect(seen).toEqual(['a', 'b']);
        await watch.stop();
      });
    });

    describe('messages that nobody keeps', () => {
      it('reach every subscriber, and one of each queue', async () => {
        const at = `mcs.c${++count}.a`;
        const all: string[] = [];
        const queue: string[] = [];
        const take = (to: string[]) => (message: CoreMessage) => {
          to.push(`${text(message.data)} ${message.headers['Mcs-User']}`);
        };
        const listeners = [
          bus.subscribe(at, take(all)),
          bus.subscribe(at, take(queue), { queue: 'q' }),
          other.subscribe(at, take(queue), { queue: 'q' }),
        ];
        await until(() => {
          other.publish(at, bytes('probe'), { 'Mcs-User': 'x' });
          return all.length > 0 && queue.length > 0;
        });
        const sent = Array.from({ length: 20 }, (_, n) => `${n} ada`);
        for (let n = 0; n < 20; n++) other.publish(at, bytes(String(n)), { 'Mcs-User': 'ada' });
        const numbered = (list: string[]) => list.filter((line) => line.endsWith('ada'));
        await until(() => numbered(all).length >= 20 && numbered(queue).length >= 20);
        expect(numbered(all)).toEqual(sent);
        expect(numbered(queue).sort()).toEqual(sent.sort());
        await Promise.all(listeners.map((listener) => listener.stop()));
      });

      it('are answered by whoever serves the subject', async () => {
        const at = `mcs.c${++count}.verb`;
        await expect(bus.request(at, bytes('x'), { timeoutMs: PATIENT_MS })).rejects.toMatchObject({
          code: 'bus.no-responder',
        });
        const serving = other.serve(at, async (message) =>
          bytes(`${text(message.data)} by ${message.headers['Mcs-User']}`),
        );
        const headers = { 'Mcs-User': 'ada' };
        const answer = await until(() =>
          bus.request(at, bytes('done'), { timeoutMs: 500, headers }).catch(() => undefined),
        );
        expect(text(answer)).toBe('done by ada');
        await serving.stop();
      });

      it('are answered where who serves was asked before he stopped', async () => {
        const at = `mcs.c${++count}.verb`;
        for (let round = 0; round < 10; round += 1) {
          const serving = other.serve(at, async ({ data }) => data);
          await until(() => bus.request(at, bytes(''), { timeoutMs: 500 }).catch(() => undefined));
          const asked = Array.from({ length: 100 }, (_, n) =>
            bus
              .request(at, bytes(`${n}`), { timeoutMs: PATIENT_MS })
              .then(text, ({ code }: { code: string }) => code),
          );
          // Sooner or later behind the asking: some of it is on its way to him.
          for (let n = 0; n < round; n += 1) await new Promise((resolve) => setImmediate(resolve));
          await serving.stop();
          // Who is there no more says so at once: nobody waits in vain for what was sent to him.
          expect((await Promise.all(asked)).filter((said) => said === 'bus.timeout')).toEqual([]);
        }
      });

      it('bus.P5 nobody is absent who may be on his way back: asked again until he is there, or a silence', async () => {
        const at = `mcs.c${++count}.verb`;
        const young = await world.open(`young${count}`, PATIENT_MS);
        // An asking whose answer came too late says nothing of it: a busy machine has such too.
        await until(async () => {
          const said = await young.request(at, bytes('x'), { timeoutMs: 300 }).catch((e) => e);
          expect(said).toMatchObject({ code: 'bus.timeout' });
          return said.unsettled === true;
        });
        const asked: string[] = [];
        const answer = young.request(at, bytes('late'), { timeoutMs: PATIENT_MS });
        await young.request(at, bytes('x'), { timeoutMs: 150 }).catch(() => undefined);
        const serving = other.serve(at, async ({ data }) => {
          asked.push(text(data));
          return data;
        });
        expect(text(await answer)).toBe('late');
        expect(asked).toEqual(['late']);
        await serving.stop();
      });

      it('bus.P5 who is not there once the connection is old enough is not there, and each outage begins it again', async () => {
        const at = `mcs.c${++count}.verb`;
        const settleMs = 400;
        const settled = await world.open(`settled${count}`, settleMs);
        const ask = (): Promise<unknown> =>
          settled.request(at, bytes('x'), { timeoutMs: PATIENT_MS }).catch((e) => e);
        const absent = { code: 'bus.no-responder', unsettled: false };
        expect(await ask()).toMatchObject(absent);
        expect(await ask()).toMatchObject(absent);
        // Asked in the very moment in which it is back, it takes so long until that is said again, and no less.
        const again = new Promise<[unknown, number]>((resolve) => {
          const forget = settled.onConnection(async (connected) => {
            if (!connected) return;
            forget();
            const back = performance.now();
            resolve([await ask(), performance.now() - back]);
          });
        });
        await world.lose();
        await until(() => !settled.connected);
        await world.restore();
        const [said, tookMs] = await again;
        expect(said).toMatchObject(absent);
        // The clock of the bus may be one in whole milliseconds.
        expect(tookMs).toBeGreaterThan(settleMs - 10);
      });

      it('bus.P6 are not handed over where the answer would leave the inbox of whom the subject names', async () => {
        const at = `mcs.c${++count}`;
        const taken: string[] = [];
        const answer = async ({ subject, data }: CoreMessage) => {
          taken.push(`${subject} ${text(data)}`);
          return data;
        };
        const serving = [
          other.serve(`${at}.unit.*`, answer, { asker: 'unit' }),
          other.serve(`${at}.connector.*`, answer, { asker: 'connector' }),
          other.serve(`${at}.anybody.*`, answer),
        ];
        const ask = (about: string) => bus.request(`${at}.${about}`, bytes('asked'), { timeoutMs: 500 });
        for (const about of ['connector.one', 'anybody.one'])
          expect(text(await until(() => ask(about).catch(() => undefined)))).toBe('asked');
        // This process has its answers in an inbox of the service, and no unit has that one.
        await expect(ask('unit.one')).rejects.toMatchObject({ code: 'bus.timeout' });
        bus.publish(`${at}.unit.one`, bytes('sent'));
        await until(() => taken.includes(`${at}.unit.one sent`), { what: 'what wants no answer' });
        expect(taken).not.toContain(`${at}.unit.one asked`);
        await Promise.all(serving.map((each) => each.stop()));
      });

      it('leave the caller to its timeout when the answer fails', async () => {
        const at = `mcs.c${++count}.verb`;
        const serving = bus.serve(at, () => Promise.reject(new Error('cannot')));
        await expect(bus.request(at, bytes('x'), { timeoutMs: 100 })).rejects.toMatchObject({
          code: 'bus.timeout',
        });
        await serving.stop();
      });
    });

    describe('addresses (address.K1)', () => {
      const stream = {
        name: 'ADDRESSES',
        subjects: ['mcs.addresses.>'],
        maxAgeMs: HOUR,
        dedupeMs: 120_000,
      };
      const illegal = ['', 'mcs', 'mcs.', 'mcs.a b', 'mcs.a\r\nPUB x 0\r\n', 'mcs..a', 'mcs.ä', 'mcs.a.'];

      it.each([...illegal, 'mcs.*', 'mcs.>'])('refuses the subject %j', async (at) => {
        const data = bytes('x');
        expect(() => bus.publish(at, data)).toThrow(TypeError);
        await expect(bus.append(stream, at, data)).rejects.toThrow(TypeError);
        await expect(bus.last(stream, at)).rejects.toThrow(TypeError);
        await expect(bus.request(at, data, { timeoutMs: 100 })).rejects.toThrow(TypeError);
      });

      it.each([...illegal, 'mcs.a*', 'mcs.>.a'].filter((at) => at !== 'mcs'))(
        'refuses the filter %j',
        async (at) => {
          expect(() => bus.subscribe(at, () => {})).toThrow(TypeError);
          expect(() => bus.serve(at, async () => bytes(''))).toThrow(TypeError);
          await expect(bus.follow(stream, at, { from: 'start' }, () => {})).rejects.toThrow(TypeError);
        },
      );

      it('MC-GEN-011 takes no subject without the prefix mcs.', async () => {
        for (const at of ['tc.submit.sat1', 'mcsx.a', '$JS.API.INFO', '_INBOX.x', '$KV.mcs_actors.x']) {
          expect(() => bus.publish(at, bytes('x'))).toThrow(TypeError);
          expect(() => bus.subscribe(at, () => {})).toThrow(TypeError);
          await expect(bus.request(at, bytes('x'), { timeoutMs: 100 })).rejects.toThrow(TypeError);
          await expect(bus.append({ ...stream, subjects: [at] }, at, bytes('x'))).rejects.toThrow(TypeError);
        }
      });

      it('MC-GEN-012 takes no bucket without the prefix mcs_', () => {
        for (const name of ['actors', 'mcs', 'mcs_', 'mcs-actors', 'mcs_a.b', 'mcs_a b'])
          expect(() => bus.bucket({ name, history: 1 })).toThrow(TypeError);
      });

      it.each(['', 'a b', 'a..b', '.a', 'a.', 'a\r\nb', 'a.*', '>'])('refuses the key %j', async (key) => {
        const bucket = bus.bucket({ name: 'mcs_addresses', history: 1 });
        await expect(bucket.get(key)).rejects.toThrow(TypeError);
        await expect(bucket.put(key, bytes('x'), 0)).rejects.toThrow(TypeError);
        await expect(bucket.overwrite(key, bytes('x'))).rejects.toThrow(TypeError);
        await expect(bucket.remove(key, 1)).rejects.toThrow(TypeError);
      });

      it('refuses headers that would break the line', async () => {
        for (const headers of [{ 'Mcs-User': 'a\r\nX: y' }, { 'Mcs User': 'a' }, { 'Mcs-User:': 'a' }]) {
          expect(() => bus.publish('mcs.a.b', bytes('x'), headers)).toThrow(TypeError);
          await expect(bus.append(stream, 'mcs.addresses.a', bytes('x'), { headers })).rejects.toThrow(
            TypeError,
          );
        }
        await expect(bus.append(stream, 'mcs.addresses.a', bytes('x'), { id: 'a\nb' })).rejects.toThrow(
          TypeError,
        );
      });
    });

    describe('while the bus is away (bus.P4), and after (bus.P2, P3)', () => {
      it('fails within the deadline, reports it, and goes on where it was', async () => {
        const stream = freshStream();
        const definition = freshBucket();
        const bucket = bus.bucket(definition);
        const at = stream.at('a');
        const verb = `mcs.c${++count}.verb`;
        const connection: boolean[] = [];
        const unlisten = bus.onConnection((connected) => connection.push(connected));
        const followed: number[] = [];
        const follower = await bus.follow(stream, at, { from: 'start' }, (message) => {
          followed.push(message.seq);
        });
        const seen: [string, string | undefined][] = [];
        await bucket.put('stays', bytes('1'), 0);
        await bucket.put('goes', bytes('2'), 0);
        const watch = await bucket.watch('>', (key, entry) => {
          seen.push([key, entry && text(entry.value)]);
        });
        await watch.ready;
        bus.serve(verb, async () => bytes('served'));
        await bus.append(stream, at, bytes('1'));

        await world.lose();
        await until(() => !bus.connected);
        const spent = ownTime();
        const outcomes = await Promise.allSettled([
          bus.append(stream, at, bytes('2')),
          bus.last(stream, at),
          bucket.get('stays'),
          bucket.put('stays', bytes('x'), 1),
          bucket.list('>'),
          bucket.position(),
          bus.request(verb, bytes('x'), { timeoutMs: 30_000 }),
          bus.follow(stream, at, { from: 'start' }, () => {}),
        ]);
        expect(spent()).toBeLessThan(BUS_REQUEST_MS + 500);
        for (const outcome of outcomes)
          expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'bus.unavailable' } });
        expect(() => bus.publish(at, bytes('lost'))).not.toThrow();

        const patient = bus.append(stream, at, bytes('2'), { id: 'second', deadlineMs: PATIENT_MS });
        const removal = until(() => other.connected).then(() => other.bucket(definition).remove('goes', 2));
        await world.restore();
        expect(await patient).toEqual({ outcome: 'stored', seq: 2 });
        await removal;
        await until(() => followed.length >= 2);
        await until(() => seen.some(([key, value]) => key === 'goes' && value === undefined));
        expect(followed).toEqual([1, 2]);
        expect(seen).toEqual([
          ['stays', '1'],
          ['goes', '2'],
          ['goes', undefined],
        ]);
        expect(connection).toEqual([false, true]);
        const answer = await until(() =>
          other.request(verb, bytes('x'), { timeoutMs: 500 }).catch(() => undefined),
        );
        expect(text(answer)).toBe('served');
        unlisten();
        await Promise.all([follower.stop(), watch.stop()]);
      });
    });

    it('close lets nothing more happen', async () => {
      const stream = freshStream();
      const closing = await world.open('closing');
      const seen: number[] = [];
      await closing.follow(stream, stream.at('a'), { from: 'start' }, (message) => {
        seen.push(message.seq);
      });
      await closing.close();
      await bus.append(stream, stream.at('a'), bytes('x'));
      expect(closing.connected).toBe(false);
      await expect(closing.append(stream, stream.at('a'), bytes('x'))).rejects.toMatchObject({
        code: 'bus.unavailable',
      });
      expect(seen).toEqual([]);
    });
  });
}
