/** Transfers that are long over, with whoever moves them dying at any operation. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { AGED_REST_MS } from '../../contract/limits/aged.ts';
import { TRANSFER_LIVE_AFTER_END_MS } from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import { type StoredTransfer, type TransferState, transferKey } from '../../contract/transfer.ts';
import { listOfTransfers } from '../../http/transfer-lists.ts';
import type { TransferBook } from '../../messaging/transfer-book.ts';
import { createDownload } from '../../messaging/transfer-writes.ts';
import { isLongOver, TransfersOver } from '../../messaging/transfers-over.ts';
import { memoryLog } from '../http/fixture.ts';
import { testMission } from '../http/world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { quiet } from '../support/nats.ts';
import { recordBytes, storedTransfer } from '../support/transfers.ts';
import { atOnce, Buckets } from './cell-of-buckets.ts';

const NOW = Date.UTC(2026, 5, 1);
const LONG = TRANSFER_LIVE_AFTER_END_MS + 60_000;
const DAY = 24 * 3_600_000;

/** One that ended so long ago. */
function ended(
  file_id: string,
  agoMs = LONG,
  more: Parameters<typeof storedTransfer>[0] = {},
): StoredTransfer {
  const at = new Date(NOW - agoMs).toISOString();
  return storedTransfer({ file_id, state: 'VERIFIED', created_at: at, updated_at: at, ...more });
}

const atHand = (cell: Buckets): StoredTransfer[] =>
  [...cell.of(buckets.transfers).values()].map(({ value }) => JSON.parse(Buffer.from(value).toString()));

async function round(cell: Buckets, dies?: number): Promise<void> {
  const over = new TransfersOver({ bus: cell.bus(atOnce, dies), log: quiet });
  const waiting = atHand(cell).filter((each) => isLongOver(each, cell.now));
  try {
    for (const each of await over.keep(waiting, cell.now)) await over.leave(each);
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
  }
}

function filled(transfers: readonly StoredTransfer[]): Buckets {
  const cell = new Buckets();
  cell.now = NOW;
  for (const each of transfers) cell.put(buckets.transfers, transferKey(each), recordBytes(each), 0);
  return cell;
}

/** As those that every process holds, and those that are read. */
function ports(cell: Buckets): { transfers: TransferBook; transfersOver: TransfersOver } {
  const hand = atHand(cell);
  const book = {
    transfers: () => hand,
    get: (key: string) => hand.find((each) => transferKey(each) === key),
  };
  const transfersOver = new TransfersOver({ bus: cell.bus(atOnce), log: quiet });
  return { transfers: book as unknown as TransferBook, transfersOver };
}

const listed = async (cell: Buckets, target?: string): Promise<string[]> => {
  const { transfers } = await listOfTransfers({ all: true, target }, ports(cell));
  return transfers.map(({ file_id }) => file_id);
};

/** As whoever asks for one finds it. */
async function sought(cell: Buckets, name: StoredTransfer): Promise<StoredTransfer | undefined> {
  const { transfers, transfersOver } = ports(cell);
  return transfers.get(transferKey(name)) ?? (await transfersOver.find(name));
}

async function rested(cell: Buckets): Promise<void> {
  await round(cell);
  cell.now += AGED_REST_MS;
  await round(cell);
}

describe('transfers that are long over', () => {
  it.each<[TransferState, object, boolean]>([
    ['REQUESTED', {}, false],
    ['PARTIAL', {}, false],
    ['COMPLETE', {}, false],
    ['COMPLETE', { unverifiable: true }, true],
    ['VERIFIED', {}, true],
    ['VERIFIED', { decoding: { outcome: 'awaited', failures: 1 } }, false],
    ['PROCESSED', {}, true],
    ['CORRUPTED', {}, true],
    ['SUPERSEDED', {}, true],
  ])('MC-XFER-031 %s %j is one a day behind its last change: %s', (state, actor, isOver) => {
    expect(isLongOver(ended('1', LONG, { state, actor }), NOW)).toBe(isOver);
    expect(isLongOver(ended('1', LONG - 120_000, { state, actor }), NOW)).toBe(false);
  });

  it('transfers-over.O2 stand for a while before they leave those at hand, and are found by name', async () => {
    const cell = filled([ended('1'), ended('2', 40 * LONG)]);
    await round(cell);
    expect([await listed(cell), atHand(cell).length]).toEqual([['1', '2'], 2]);
    cell.now += AGED_REST_MS - 1;
    await round(cell);
    expect(atHand(cell)).toHaveLength(2);
    cell.now += 1;
    await round(cell);
    expect([await listed(cell), atHand(cell)]).toEqual([['1', '2'], []]);
    const { transfersOver } = ports(cell);
    expect(await transfersOver.find(ended('2'))).toEqual(ended('2', 40 * LONG));
    expect(await transfersOver.find(ended('3'))).toBeUndefined();
    expect(await transfersOver.find({ ...ended('2'), direction: 'upload' })).toBeUndefined();
  });

  it('A-44 transfer-days.E1 is found by as many questions behind a year as behind a day', async () => {
    const asked = async (days: number): Promise<number> => {
      const cell = filled(Array.from({ length: days }, (_, day) => ended(`${day}`, LONG + day * DAY)));
      await rested(cell);
      expect(atHand(cell)).toEqual([]);
      cell.asked.clear();
      expect(await ports(cell).transfersOver.find(ended('0'))).toEqual(ended('0'));
      expect(await ports(cell).transfersOver.find(ended('999'))).toBeUndefined();
      return [...cell.asked.values()].reduce((sum, each) => sum + each, 0);
    };
    expect(await asked(365)).toBe(await asked(1));
  });

  it('transfer-days.E2 one that was changed twice is found as it was changed last, whoever writes behind whom', async () => {
    const [before, behind] = [
      ended('7', LONG + 3 * DAY, { direction: 'upload', source: '0'.repeat(64) }),
      ended('7', LONG, { direction: 'upload', source: '1'.repeat(64) }),
    ];
    for (const order of [
      [before, behind],
      [behind, before],
    ]) {
      const cell = filled([]);
      for (const each of order)
        await new TransfersOver({ bus: cell.bus(atOnce), log: quiet }).keep([each], NOW);
      expect(await ports(cell).transfersOver.find(before)).toEqual(behind);
    }
  });

  it('transfers-over.O2 does not leave those at hand while its name is away, or has not stood for a while', async () => {
    const cell = filled([ended('1')]);
    await round(cell);
    cell.putBack(buckets.transferDays, new Map());
    cell.now += AGED_REST_MS;
    await round(cell);
    expect(atHand(cell)).toHaveLength(1);
    cell.now += AGED_REST_MS;
    await round(cell);
    expect(atHand(cell)).toEqual([]);
    expect(await ports(cell).transfersOver.find(ended('1'))).toEqual(ended('1'));
  });

  it('transfer-lists.Q2 come behind the others, the latest day first, each day by priority and age, of a target', async () => {
    const cell = filled([
      ended('1', LONG),
      ended('2', LONG + 1_000, { priority: 1 }),
      ended('3', LONG + 2 * DAY, { priority: 9 }),
      ended('4', LONG + 2 * DAY, { target: 'sat2' }),
      ended('5', LONG + 1_000),
    ]);
    await rested(cell);
    cell.put(buckets.transfers, 'sat1.9.2', recordBytes(ended('9', 0, { priority: -5 })), 0);
    expect(await listed(cell)).toEqual(['9', '2', '5', '1', '3', '4']);
    expect((await listed(cell, 'sat1')).filter((id) => id !== '9')).toEqual(['2', '5', '1', '3']);
    const { transfers } = await listOfTransfers({}, ports(cell));
    expect(transfers.map(({ file_id }) => file_id)).toEqual(['9']);
  });

  it('MC-XFER-015 MC-XFER-016 transfer-writes.W4 a generation that was transferred long ago is not transferred again', async () => {
    const before = ended('7', LONG, { state: 'CORRUPTED', reason: 'crc32 is 1, listed is 2', actor: {} });
    const cell = filled([before]);
    await rested(cell);
    expect(atHand(cell)).toEqual([]);
    const over = new TransfersOver({ bus: cell.bus(atOnce), log: quiet });
    const listedFile = (generation: number) => ({
      file: () => ({ size: 10, generation, listedAt: NOW }),
    });
    const mission = testMission(FILES);
    const ask = (generation: number) =>
      createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, mission, {
        bus: overwriting(cell),
        clock: new ManualClock(NOW),
        files: listedFile(generation),
        over,
      });
    expect(await ask(2)).toEqual({ ok: true, value: before });
    expect(atHand(cell)).toEqual([]);
    expect(await ask(3)).toMatchObject({ ok: true, value: { generation: 3, state: 'REQUESTED' } });
    expect(atHand(cell)).toHaveLength(1);
  });

  it.each(['', 'garbage', '"20260520"', '99999', '[null]'])(
    'transfer-days.E3 a name that leads to no day (%j) is said, and leads to its record once that is moved',
    async (wrong) => {
      const [one, other] = [ended('1'), ended('2')];
      const cell = filled([one, other]);
      cell.put(buckets.transferDays, transferKey(one), Buffer.from(wrong), 0);
      const log = memoryLog();
      const over = new TransfersOver({ bus: cell.bus(atOnce), log });
      expect(await over.find(one)).toBeUndefined();
      expect(log.lines.map(({ message }) => message)).toEqual([
        'malformed day of a finished transfer: ignored',
      ]);
      await rested(cell);
      expect(atHand(cell)).toEqual([]);
      expect([await sought(cell, one), await sought(cell, other)]).toEqual([one, other]);
    },
  );

  it('are there once and whole, whoever dies at which operation and however often', async () => {
    const lives = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 1, max: 6 }), async (deaths, count) => {
        const transfers = Array.from({ length: count }, (_, n) => ended(`${n}`, LONG + n * 11 * 3_600_000));
        const cell = filled(transfers);
        for (const dies of deaths) {
          await round(cell, dies);
          cell.now += AGED_REST_MS / 2;
          expect(new Set(await listed(cell)).size).toBe(count);
          for (const each of transfers) expect(await sought(cell, each)).toEqual(each);
        }
        await rested(cell);
        await rested(cell);
        expect(atHand(cell)).toEqual([]);
        for (const each of transfers) expect(await sought(cell, each)).toEqual(each);
        expect((await listed(cell)).sort()).toEqual(transfers.map(({ file_id }) => file_id).sort());
      }),
      { numRuns: 60 },
    );
  });
});

const FILES = `
platform: box
version: 1.0.0
components:
  obc: { measures: { counter: { type: u16 } } }
  camera: {}
files:
  telecommands:
    read: { instance: file, args: { offset: { type: u32 }, length: { type: u16 } } }
  transfer: { read: read, max_chunk: 200 }
`;

/** The bus of a process that also writes keys without a condition. */
function overwriting(cell: Buckets) {
  const bus = cell.bus(atOnce);
  return {
    ...bus,
    bucket: (definition: Parameters<typeof bus.bucket>[0]) => ({
      ...bus.bucket(definition),
      overwrite: async (key: string, value: Uint8Array) => {
        const known = cell.of(definition).get(key)?.revision ?? 0;
        const written = cell.put(definition, key, value, known);
        return written.outcome === 'written' ? written.revision : 0;
      },
    }),
  };
}
