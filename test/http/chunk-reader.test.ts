/**
 * Readers of a file that comes down, beside a transfer manager that stores and records what arrives: whatever comes
 * when, however slow the reader, it has every byte once and ends.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../contract/byte-ranges.ts';
import { ByteRanges } from '../../contract/byte-ranges.ts';
import { type ChunkMessage, readChunkMessage } from '../../contract/chunk-message.ts';
import { CHUNKS_WAITING_BYTES } from '../../contract/limits/transfer.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import { ArrivedBytes, ChunkReader } from '../../http/chunks/chunk-reader.ts';
import type { ReadingOrderName } from '../../http/chunks/reading-orders.ts';
import type { StoredBytes } from '../../http/chunks/stored-bytes.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { quiet } from '../support/nats.ts';
import { storedTransfer } from '../support/transfers.ts';
import { contentOf } from './transfer-world.ts';

const PIECE = 50;

/** A file of so many bytes with one reader, whose store and socket are in the hands of the test. */
function fileOf(size: number, order: ReadingOrderName) {
  const content = contentOf(size);
  const clock = new ManualClock(0);
  let record: StoredTransfer = storedTransfer({ size });
  const got: ChunkMessage[] = [];
  const closed: [string, string][] = [];
  let isFull = false;
  let free: () => void = () => undefined;
  let isGone = false;
  let readBytes = 0;
  const sink = {
    push: (message: Uint8Array) => void got.push(readChunkMessage(message)!),
    room: () => (isFull ? new Promise<void>((resolve) => (free = resolve)) : undefined),
    end: (how: string, reason: string) => void closed.push([how, reason]),
  };
  const stored = {
    async *read(of: StoredTransfer, start: number, end: number) {
      const there = ByteRanges.from(of.received ?? [])!;
      if (isGone) return;
      expect(of.actor.content !== undefined || there.covers(start, end)).toBe(true);
      for (let at = start; at < end; at += PIECE) {
        await Promise.resolve();
        const data = content.subarray(at, Math.min(end, at + PIECE));
        readBytes += data.length;
        yield { offset: at, data };
      }
    },
    isKept: async () => !isGone,
  } as unknown as StoredBytes;
  let isEnded = false;
  const reader = new ChunkReader({
    order,
    sink,
    clock,
    log: quiet,
    stored,
    record: () => record,
    ended: () => (isEnded = true),
  });
  return {
    content,
    clock,
    got,
    closed,
    reader,
    readBytes: () => readBytes,
    isEnded: () => isEnded,
    full(now: boolean) {
      isFull = now;
      if (!now) free();
    },
    gone: () => (isGone = true),
    arrives: (start: number, end: number, transaction?: string) =>
      reader.arrived(new ArrivedBytes(start, content.subarray(start, end), transaction)),
    records(more: Partial<StoredTransfer>) {
      record = { ...record, ...more };
      reader.changed();
    },
  };
}

const whole = (size: number): Partial<StoredTransfer> => ({
  state: 'COMPLETE',
  received: size === 0 ? [] : [[0, size]],
  actor: { version: 1, changes: [], content: { sha256: '0' } },
});

describe.each<ReadingOrderName>(['arrival', 'offset'])('a reader by %s', (order) => {
  it('chunk-reader.C3 chunk-reader.C4 has every byte once and ends, whatever comes when', async () => {
    const size = 1_000;
    const step = fc.oneof(
      fc.record({
        is: fc.constant('arrives' as const),
        at: fc.nat(size),
        bytes: fc.integer({ min: 1, max: 300 }),
      }),
      fc.record({
        is: fc.constantFrom('records' as const, 'full' as const, 'free' as const, 'turn' as const),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(600), async (steps, beginning) => {
        const file = fileOf(size, order);
        const there = new ByteRanges();
        there.add(0, beginning);
        file.records({ state: 'PARTIAL', received: there.list() });
        const running = file.reader.run();
        for (const each of steps) {
          if (each.is === 'arrives') {
            const end = Math.min(size, each.at + each.bytes);
            there.add(each.at, end);
            file.arrives(each.at, end);
          } else if (each.is === 'records') file.records({ received: there.list() });
          else if (each.is === 'turn') await settled();
          else file.full(each.is === 'full');
        }
        file.full(false);
        file.records(whole(size));
        await settled();
        file.clock.advance(5_000);
        await running;
        expect(file.closed).toEqual([['finished', 'COMPLETE']]);
        const seen = new ByteRanges();
        let last = 0;
        for (const { offset, data } of file.got) {
          expect(seen.add(offset, offset + data.length)).toEqual([
            [offset, offset + data.length],
          ] as ByteRange[]);
          expect(Buffer.compare(data, file.content.subarray(offset, offset + data.length))).toBe(0);
          if (order === 'offset') expect(offset).toBe(last);
          last = offset + data.length;
        }
        expect(seen.covers(0, size)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is closed at once for a file without bytes, and where the transfer is superseded', async () => {
    const empty = fileOf(0, order);
    empty.records(whole(0));
    await empty.reader.run();
    expect(empty.closed).toEqual([['finished', 'COMPLETE']]);
    const old = fileOf(100, order);
    const running = old.reader.run();
    await settled();
    expect(old.closed).toEqual([]);
    old.records({ state: 'SUPERSEDED', reason: `new generation ${'ü'.repeat(200)}` });
    await running;
    const [[how, reason]] = old.closed as [[string, string]];
    expect([how, reason.startsWith('SUPERSEDED: new generation ü')]).toEqual(['finished', true]);
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
  });

  it('MC-GEN-022 chunk-reader.C3 is closed when another transaction brings the file, and late chunks of an earlier one are left out', async () => {
    const by = (current: string, earlier: string[] = []): Partial<StoredTransfer> => ({
      state: 'PARTIAL',
      actor: { version: 1, changes: [], transaction: { current, earlier } },
    });
    const arriving = fileOf(1_000, order);
    arriving.records({ ...by('b', ['a']), received: [[0, 100]] });
    const running = arriving.reader.run();
    await settled();
    arriving.arrives(100, 200, 'a');
    arriving.arrives(100, 150, 'b');
    await settled();
    expect(arriving.got.map(({ offset, data }) => [offset, data.length])).toEqual([
      [0, PIECE],
      [PIECE, PIECE],
      [100, 50],
    ]);
    arriving.arrives(0, 50, 'c');
    await running;
    expect(arriving.closed).toEqual([['begun-again', 'the file is sent again from its beginning']]);
    const recorded = fileOf(1_000, order);
    recorded.records({ ...by('b'), received: [[0, 100]] });
    const reading = recorded.reader.run();
    await settled();
    recorded.records({ ...by('c', ['b']), received: [[0, 300]] });
    await reading;
    expect(recorded.closed[0]?.[0]).toBe('begun-again');
  });

  it('is closed where the content is removed before it was all read', async () => {
    const file = fileOf(1_000, order);
    file.gone();
    file.records(whole(1_000));
    await file.reader.run();
    expect(file.closed).toEqual([['gone', 'the content is not kept any more']]);
    expect(file.isEnded()).toBe(true);
  });
});

describe('a slow reader', () => {
  it('chunk-reader.C1 keeps no more than its bound waiting, and reads the rest from the store', async () => {
    const size = 8 * CHUNKS_WAITING_BYTES;
    const file = fileOf(size, 'arrival');
    file.records({ state: 'PARTIAL', received: [] });
    const running = file.reader.run();
    await settled();
    file.full(true);
    const step = 4_096;
    for (let at = 0; at < size; at += step) file.arrives(at, at + step);
    await settled();
    expect(file.got).toHaveLength(0);
    file.full(false);
    await settled();
    const live = file.got.reduce((sum, { data }) => sum + data.length, 0);
    expect(live).toBe(CHUNKS_WAITING_BYTES);
    expect(file.readBytes()).toBe(0);
    file.records(whole(size));
    await running;
    expect(file.readBytes()).toBe(size - live);
    expect(file.got.reduce((sum, { data }) => sum + data.length, 0)).toBe(size);
  });

  it('chunk-reader.C2 by offset keeps what comes before its turn, and sends it as soon as the gap is filled', async () => {
    const file = fileOf(1_000, 'offset');
    file.records({ state: 'PARTIAL', received: [[0, 100]] });
    const running = file.reader.run();
    await settled();
    // What came before the reader is stored and not recorded yet.
    file.arrives(250, 300);
    file.arrives(200, 250);
    await settled();
    expect(file.got.map(({ offset }) => offset)).toEqual([0, 50]);
    file.records({ received: [[0, 200]] });
    await settled();
    expect(file.got.map(({ offset }) => offset)).toEqual([0, 50, 100, 150, 200, 250]);
    const stored = file.readBytes();
    for (let at = 300; at < 1_000; at += 100) file.arrives(at, at + 100);
    await settled();
    expect([file.readBytes(), file.got.at(-1)!.offset]).toEqual([stored, 900]);
    file.reader.stop();
    await running;
  });

  it('chunk-reader.C2 is sent what is stored at the beginning first, then what arrives before what was missed', async () => {
    const file = fileOf(1_000, 'arrival');
    file.records({ state: 'PARTIAL', received: [[0, 100]] });
    file.arrives(500, 600);
    const running = file.reader.run();
    await settled();
    expect(file.got.map(({ offset }) => offset)).toEqual([0, 50, 500]);
    file.records({
      received: [
        [0, 200],
        [500, 600],
      ],
    });
    file.arrives(700, 800);
    await settled();
    expect(file.got.map(({ offset }) => offset)).toEqual([0, 50, 500, 700, 100, 150]);
    file.reader.stop();
    await running;
  });
});
