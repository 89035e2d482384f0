/** The transfers that every process holds, in the order of lists, whatever comes and goes. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { TRANSFER_LIST_MOST, TRANSFER_SEEN_MS } from '../../contract/limits/transfer.ts';
import { type StoredTransfer, TRANSFER_STATES, transferKey } from '../../contract/transfer.ts';
import { listOfTransfers } from '../../http/transfer-lists.ts';
import { TransferBook } from '../../messaging/transfer-book.ts';
import type { TransfersOver } from '../../messaging/transfers-over.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { memoryLog } from '../http/fixture.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { recordBytes, storedTransfer } from '../support/transfers.ts';

type Changed = (key: string, entry: Entry | undefined) => void;

function bookOf() {
  const watches = new Map<string, Changed>();
  const bucket = ({ name }: BucketDefinition) => ({
    watch: async (_filter: string, changed: Changed) => {
      watches.set(name, changed);
      return { ready: Promise.resolve(), stop: async () => {} };
    },
  });
  const bus = { connected: true, onConnection: () => () => {}, bucket } as unknown as Bus;
  const log = memoryLog();
  const clock = new ManualClock(0);
  const book = new TransferBook({ bus, clock, log });
  let revision = 0;
  const put = (key: string, value: Uint8Array | undefined): void => {
    revision += 1;
    watches.get(buckets.transfers.name)!(key, value && { key, value, revision, at: 0 });
  };
  return { book, put, log, clock };
}

const NOTHING_OVER = { days: () => expect.unreachable('nothing that is long over is read') };
const nothingOver = NOTHING_OVER as unknown as TransfersOver;

describe('transfers at hand', () => {
  it('MC-XFER-010 are listed by priority, then age, of all targets or of one, whatever came and went', async () => {
    const change = fc.record({
      target: fc.constantFrom('sat1', 'sat2'),
      file: fc.constantFrom('1', '2', '3'),
      is: fc.constantFrom('there', 'there', 'gone', 'broken'),
      state: fc.constantFrom(...TRANSFER_STATES),
      priority: fc.integer({ min: -1, max: 1 }),
      second: fc.integer({ min: 10, max: 13 }),
      read: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const { book, put } = bookOf();
        await book.ready;
        const model = new Map<string, StoredTransfer>();
        for (const { target, file, is, state, priority, second, read } of changes) {
          const created_at = `2026-01-02T03:04:${second}.000Z`;
          const record = storedTransfer({ target, file_id: file, state, priority, created_at });
          const key = transferKey(record);
          model.delete(key);
          if (is === 'there') model.set(key, record);
          put(key, is === 'gone' ? undefined : is === 'broken' ? Buffer.from('{}') : recordBytes(record));
          if (!read) continue;
          const expected = [...model.values()].sort(
            (a, b) =>
              b.priority - a.priority ||
              Date.parse(a.created_at) - Date.parse(b.created_at) ||
              (transferKey(a) < transferKey(b) ? -1 : 1),
          );
          expect(book.transfers()).toEqual(expected);
          for (const each of ['sat1', 'sat2'])
            expect(book.transfers(each)).toEqual(expected.filter((one) => one.target === each));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('transfer-book.K1 one that cannot be read is left out, with a line in the log', async () => {
    const { book, put, log } = bookOf();
    await book.ready;
    put('sat1.7.2', recordBytes(storedTransfer({ generation: 3 })));
    put('sat1.8.2', recordBytes(storedTransfer({ file_id: '8' })));
    expect(book.transfers()).toHaveLength(1);
    expect(log.lines.map(({ message }) => message)).toEqual(['malformed transfer: left out']);
  });

  it('transfer-book.K2 who created one waits until it is here, and not for ever', async () => {
    const { book, put, clock } = bookOf();
    await book.ready;
    const waited: string[] = [];
    void book.seen('sat1.7.2').then(() => waited.push('seen'));
    void book.seen('sat1.9.9').then(() => waited.push('in the end'));
    await settled();
    expect(waited).toEqual([]);
    put('sat1.7.2', recordBytes(storedTransfer()));
    await settled();
    expect(waited).toEqual(['seen']);
    clock.advance(TRANSFER_SEEN_MS);
    await settled();
    expect(waited).toEqual(['seen', 'in the end']);
  });
});

describe('lists of 100,000 transfers', () => {
  it('transfer-lists.Q1 give each once in order, and look at no more than they give', async () => {
    const { book, put } = bookOf();
    await book.ready;
    const count = 100_000;
    for (let n = 0; n < count; n += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + ((n * 7_919) % count) * 1_000).toISOString();
      const record = storedTransfer({ file_id: `${n}`, priority: n % 3, created_at });
      put(transferKey(record), recordBytes(record));
    }
    let looked = 0;
    const sorted = book.transfers();
    const counted = new Proxy(sorted, {
      get(list, property, receiver) {
        if (typeof property === 'string' && /^\d+$/.test(property)) looked += 1;
        return Reflect.get(list, property, receiver);
      },
    });
    const transfers = { transfers: () => counted, get: () => undefined } as unknown as TransferBook;
    const ports = { transfers, transfersOver: nothingOver };
    const seen: string[] = [];
    let after: Parameters<typeof listOfTransfers>[0]['after'];
    for (let lists = 0; lists <= count / TRANSFER_LIST_MOST; lists += 1) {
      looked = 0;
      const list = await listOfTransfers({ after }, ports);
      expect(looked).toBeLessThan(TRANSFER_LIST_MOST + 100);
      seen.push(...list.transfers.map(({ file_id }) => file_id));
      if (list.next === undefined) break;
      const { cursorInQuery } = await import('../../http/transfer-lists.ts');
      after = cursorInQuery.parse(list.next);
      expect(after).toBeDefined();
    }
    expect(seen).toEqual(sorted.map(({ file_id }) => file_id));
    expect(new Set(seen).size).toBe(count);
  });
});
