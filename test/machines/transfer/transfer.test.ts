/** The chart of a transfer against the table of section 3.5, on every path, and what it records on the way. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  TRANSFER_LEFT_RANGES,
  TRANSFER_REASON_CHARACTERS,
  TRANSFER_TRANSACTIONS_EARLIER,
  UPLOAD_ENDED_MS,
} from '../../../contract/limits/transfer.ts';
import {
  isOpenTransfer,
  readStoredTransfer,
  type StoredTransfer,
  TRANSFER_STATES,
  transferKey,
} from '../../../contract/transfer.ts';
import { openEffects } from '../../../machines/transfer/next.ts';
import type { Comparison } from '../../../machines/transfer/protocol.ts';
import { EMPTY_CONTENT, hasEveryByte, moved } from '../../../machines/transfer/record.ts';
import { snapshotOf } from '../../../machines/transfer/step.ts';
import { transferMachine } from '../../../machines/transfer/transfer.ts';
import { type Driven, drive, type EventOf, explore, walkTable } from '../../harness/harness.ts';
import { CREATED, transferInput, transferOf } from './records.ts';

type Event = EventOf<typeof transferMachine>;
type Chart = Driven<typeof transferMachine>;
type Row = Parameters<typeof walkTable<typeof transferMachine>>[1]['rows'][number];

const bytes = (start: number, end: number): Event => ({ type: 'bytes.received', ranges: [[start, end]] });
const gone: Event = { type: 'bytes.gone', ranges: [[40, 60]] };
const assembled: Event = {
  type: 'file.assembled',
  content: { sha256: 'ab', algorithm: 'crc32', checksum: '01' },
};
const compared = (comparison: Comparison, decodable = false): Event => ({
  type: 'checksum.compared',
  comparison,
  decodable,
});
const EQUAL: Comparison = { outcome: 'equal' };
const NOTHING: Comparison = { outcome: 'nothing' };
const DIFFERS: Comparison = { outcome: 'differs', algorithm: 'crc32', computed: '01', listed: '02' };
const UNAVAILABLE: Comparison = { outcome: 'unavailable', algorithm: 'blake3' };
const UNLISTED: Comparison = { outcome: 'unlisted' };
const REWRITTEN: Comparison = { outcome: 'rewritten', generation: 3 };
const seen = (generation: number, where: 'listing' | 'chunk' = 'listing'): Event => ({
  type: 'generation.seen',
  generation,
  in: where,
});
const decoded: Event = { type: 'file.decoded', samples: 42 };
const undecodable: Event = { type: 'file.undecodable' };
const left: Event = { type: 'file.left', reason: 'too many wait' };
const failed: Event = { type: 'decoding.failed', reason: 'no driver' };

const ALL = [bytes(0, 40), bytes(40, 60), bytes(60, 100)];
/** The table of section 3.5, row by row; where bytes lead depends on those before, and is held in a test of its own. */
const ROWS: readonly Row[] = [
  { from: 'REQUESTED', on: bytes(0, 100), to: 'PARTIAL.assembling' },
  { from: 'PARTIAL.receiving', on: bytes(0, 100), to: 'PARTIAL.assembling' },
  { from: 'PARTIAL.assembling', on: assembled, to: 'COMPLETE' },
  { from: 'PARTIAL.assembling', on: gone, to: 'PARTIAL.receiving' },
  { from: 'COMPLETE', on: compared(EQUAL), to: 'VERIFIED.kept' },
  { from: 'COMPLETE', on: compared(EQUAL, true), to: 'VERIFIED.decoding' },
  { from: 'COMPLETE', on: compared(NOTHING), to: 'VERIFIED.kept' },
  { from: 'COMPLETE', on: compared(UNLISTED), to: 'VERIFIED.kept' },
  { from: 'COMPLETE', on: compared(DIFFERS), to: 'CORRUPTED' },
  { from: 'COMPLETE', on: compared(DIFFERS, true), to: 'CORRUPTED' },
  { from: 'COMPLETE', on: compared(UNAVAILABLE), to: 'unverifiable' },
  { from: 'COMPLETE', on: compared(REWRITTEN), to: 'unverifiable' },
  { from: 'VERIFIED.decoding', on: decoded, to: 'PROCESSED' },
  { from: 'VERIFIED.decoding', on: undecodable, to: 'VERIFIED.kept' },
  { from: 'VERIFIED.decoding', on: left, to: 'VERIFIED.kept' },
  { from: 'REQUESTED', on: seen(3), to: 'SUPERSEDED' },
  { from: 'REQUESTED', on: seen(3, 'chunk'), to: 'SUPERSEDED' },
  { from: 'PARTIAL', on: seen(3), to: 'SUPERSEDED' },
  { from: 'PARTIAL', on: seen(3, 'chunk'), to: 'SUPERSEDED' },
];
/** They change nothing anywhere: an older generation or the same, no bytes. */
const ALIEN: readonly Event[] = [
  seen(2),
  seen(1, 'chunk'),
  bytes(7, 7),
  bytes(100, 400),
  { type: 'hindrance.over' },
];

const chart = (more = {}): Chart => drive(transferMachine, { input: transferInput(more), at: CREATED });
const recordOf = ({ context }: Chart): StoredTransfer => context.record;
const states = ({ records }: Chart): string[] =>
  records.filter(({ transition }) => transition).map(({ stored }) => stored.state);

describe('the life of a transfer', () => {
  it('MC-XFER-021 MC-XFER-022 MC-XFER-023 MC-XFER-024 MC-XFER-025 MC-XFER-026 MC-XFER-027 MC-XFER-028 MC-XFER-029 MC-XFER-030 MC-XFER-031 section 3.5 row by row, and nothing else anywhere', () => {
    const { states: reached, unlisted } = walkTable(transferMachine, {
      input: transferInput(),
      at: CREATED,
      rows: ROWS,
      alien: ALIEN,
    });
    expect(new Set(reached.map((state) => state.split('.')[0]))).toEqual(
      new Set([...TRANSFER_STATES, 'unverifiable']),
    );
    expect(unlisted).toBeGreaterThan(100);
  });

  it('MC-XFER-021 MC-XFER-022 MC-XFER-023 REQUESTED, PARTIAL with the first bytes, COMPLETE once it is assembled', () => {
    const driven = chart();
    expect(states(driven)).toEqual(['REQUESTED']);
    for (const event of ALL) driven.send(event);
    expect(states(driven)).toEqual(['REQUESTED', 'PARTIAL']);
    expect(driven.effects.filter(({ type }) => type === 'effect.assemble')).toHaveLength(1);
    driven.send(assembled);
    expect(states(driven)).toEqual(['REQUESTED', 'PARTIAL', 'COMPLETE']);
    expect(recordOf(driven)).toMatchObject({
      received: [[0, 100]],
      actor: { content: { sha256: 'ab', algorithm: 'crc32', checksum: '01' } },
    });
    const name = { target: 'sat1', file_id: '7', generation: 2, direction: 'download' };
    expect(driven.effects.map((effect) => effect.name)).toEqual(driven.effects.map(() => name));
  });

  it('asks for nothing while bytes are missing', () => {
    const driven = chart();
    driven.send(bytes(0, 40), bytes(40, 60));
    expect(driven.effects.map(({ type }) => type)).toEqual(['effect.publish', 'effect.publish']);
  });

  it('the run that asked for it, where one did', () => {
    expect(transferOf({}, 'X').actor.run).toBe('X');
    expect(transferOf().actor).not.toHaveProperty('run');
  });

  it('MC-XFER-004 ranges are sorted and disjoint, whatever order, overlap or repetition they come in', () => {
    const range = fc
      .tuple(fc.nat(120), fc.nat(120))
      .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
        const driven = chart();
        const there = new Set<number>();
        for (const [start, end] of ranges) {
          if (hasEveryByte(recordOf(driven))) break;
          driven.send(bytes(start, end));
          for (let at = start; at < Math.min(end, 100); at += 1) there.add(at);
        }
        const { received = [] } = recordOf(driven);
        const listed = received.flatMap(([start, end]) =>
          Array.from({ length: end - start }, (_, n) => start + n),
        );
        expect(listed).toEqual([...there].sort((a, b) => a - b));
        expect(received.every(([start, end], n) => start < end && start > (received[n - 1]?.[1] ?? -1))).toBe(
          true,
        );
      }),
    );
  });

  it('MC-UPL-009 transfer/transfer.T5 an upload whose run is over stays as it is, is superseded as any other, and is closed in the end', () => {
    const over: Event = { type: 'run.ended', reason: 'run X is over' };
    const expired: Event = { type: 'upload.expired' };
    const upload = { direction: 'upload', source: 'ab'.repeat(32) } as const;
    const driven = chart(upload);
    driven.send(expired);
    expect(isOpenTransfer(recordOf(driven))).toBe(true);
    driven.send(bytes(0, 40));
    driven.send(over);
    expect(recordOf(driven)).toMatchObject({
      state: 'PARTIAL',
      reason: 'run X is over',
      received: [[0, 40]],
    });
    const [expiry] = driven.effects.filter(({ type }) => type === 'effect.expire');
    const { ended } = recordOf(driven).actor;
    expect(expiry).toMatchObject({ at: Date.parse(ended!.at) + UPLOAD_ENDED_MS });
    expect(openEffects(recordOf(driven)).at(-1)).toEqual(expiry);
    expect(ended).toEqual({ at: new Date(CREATED).toISOString() });
    driven.advance('1 min').send({ ...over, reason: 'run Y is over' });
    expect(recordOf(driven)).toMatchObject({ reason: 'run X is over', actor: { ended } });
    const before = recordOf(driven);
    driven.send(expired);
    expect(recordOf(driven)).toMatchObject({ state: 'PARTIAL', reason: 'run X is over' });
    expect([isOpenTransfer(before), isOpenTransfer(recordOf(driven))]).toEqual([true, false]);
    expect(driven.effects.at(-1)).toMatchObject({ type: 'effect.close' });
    const other = chart(upload);
    other.send(over);
    other.send(seen(9));
    expect(recordOf(other).state).toBe('SUPERSEDED');
    const download = chart();
    download.send(over);
    expect(recordOf(download)).not.toHaveProperty('reason');
  });

  it('transfer/transfer.T4 bytes that are gone are waited for again, and it is assembled again once they are there', () => {
    const driven = chart();
    driven.send(bytes(0, 100));
    driven.send(gone);
    expect(recordOf(driven)).toMatchObject({
      state: 'PARTIAL',
      received: [
        [0, 40],
        [60, 100],
      ],
    });
    driven.send(bytes(40, 60));
    expect(driven.effects.filter(({ type }) => type === 'effect.assemble')).toHaveLength(2);
  });

  it('transfer/transfer.T4 every range that is gone is waited for', () => {
    const driven = chart();
    driven.send(bytes(0, 100), {
      type: 'bytes.gone',
      ranges: [
        [90, 100],
        [10, 20],
      ],
    });
    expect(recordOf(driven).received).toEqual([
      [0, 10],
      [20, 90],
    ]);
  });

  it('transfer/record.B5 what earlier transactions had brought is remembered, the last of them and of each the first ranges', () => {
    const size = 1_000;
    const by = (driven: Chart, transaction: string, ...ranges: [number, number][]) =>
      driven.send({ type: 'bytes.received', ranges, transaction });
    const transactionIn = (driven: Chart) => recordOf(driven).actor.transaction;
    const driven = chart({ size });
    // Of the first transaction nothing is earlier, but what came without one is.
    by(driven, 'a', [0, 5]);
    expect(transactionIn(driven)).toEqual({ current: 'a', earlier: [] });
    const before = chart({ size });
    before.send(bytes(0, 5));
    by(before, 'a', [9, 10]);
    const unnamed = { current: 'a', earlier: [''], left: [{ transaction: '', received: [[0, 5]] }] };
    expect(transactionIn(before)).toEqual(unnamed);
    // One that brings nothing takes the place of nothing.
    const { records } = by(driven, 'z', [7, 7]);
    expect([transactionIn(driven)?.current, records.length]).toEqual(['a', 2]);
    // One whose bytes are all gone has left nothing.
    const emptied = chart({ size: 5 });
    by(emptied, 'a', [0, 5]).send({ type: 'bytes.gone', ranges: [[0, 5]] });
    by(emptied, 'b', [0, 1]);
    expect(transactionIn(emptied)).toEqual({ current: 'b', earlier: ['a'] });

    const many = Array.from({ length: TRANSFER_LEFT_RANGES + 1 }, (_, n): [number, number] => [
      2 * n,
      2 * n + 1,
    ]);
    by(driven, 'b', ...many);
    by(driven, 'c', [0, 1]);
    expect(transactionIn(driven)?.left).toEqual([
      { transaction: 'a', received: [[0, 5]] },
      { transaction: 'b', received: many.slice(0, TRANSFER_LEFT_RANGES) },
    ]);
    for (let n = 0; n < TRANSFER_TRANSACTIONS_EARLIER; n += 1) by(driven, `e${n}`, [0, 1]);
    const last = ['c', ...Array.from({ length: TRANSFER_TRANSACTIONS_EARLIER - 1 }, (_, n) => `e${n}`)];
    expect(transactionIn(driven)?.earlier).toEqual(last);
    expect(transactionIn(driven)?.left?.map(({ transaction }) => transaction)).toEqual(last);
  });

  it('MC-GEN-022 transfer/record.B4 bytes of another transaction take the place of all there are, those of an earlier one change nothing', () => {
    const driven = chart();
    const by = (transaction: string, start: number, end: number) =>
      driven.send({ type: 'bytes.received', ranges: [[start, end]], transaction });
    by('a', 0, 60);
    by('b', 90, 95);
    expect(recordOf(driven)).toMatchObject({ state: 'PARTIAL', received: [[90, 95]] });
    by('a', 60, 90);
    by('a', 95, 100);
    expect(recordOf(driven).received).toEqual([[90, 95]]);
    by('', 0, 10);
    expect(recordOf(driven)).toMatchObject({
      received: [[0, 10]],
      actor: { transaction: { current: '', earlier: ['a', 'b'] } },
    });
    by('c', 0, 100);
    expect(driven.effects.filter(({ type }) => type === 'effect.assemble')).toHaveLength(1);
    by('d', 0, 100);
    expect(recordOf(driven).actor.transaction?.current).toBe('c');
    for (let n = 0; n < 40; n += 1) {
      driven.send(gone);
      by(`e${n}`, 0, 100);
    }
    expect(recordOf(driven).actor.transaction?.earlier).toHaveLength(16);
  });

  it('MC-XFER-019 a file without bytes is COMPLETE at once, and is verified', () => {
    const driven = chart({ size: 0 });
    expect(states(driven)).toEqual(['COMPLETE']);
    expect(driven.effects.map(({ type }) => type)).toEqual(['effect.publish', 'effect.verify']);
    expect(recordOf(driven).actor.content).toEqual(EMPTY_CONTENT);
    expect(transferOf().actor).not.toHaveProperty('content');
    driven.send(compared(NOTHING));
    expect(recordOf(driven)).toMatchObject({ state: 'VERIFIED', reason: 'no checksum to verify' });
  });

  it.each([
    ['MC-XFER-025', NOTHING, 'VERIFIED', 'no checksum to verify'],
    ['MC-XFER-026', DIFFERS, 'CORRUPTED', 'crc32 is 01, listed is 02'],
    ['MC-XFER-027 MC-LIM-020', UNAVAILABLE, 'COMPLETE', 'checksum blake3 is not available'],
    ['MC-UPL-007', UNLISTED, 'VERIFIED', 'no listing to verify it with'],
    ['MC-GEN-022', REWRITTEN, 'COMPLETE', 'on board is generation 3: it was never verified'],
    ['MC-XFER-005', EQUAL, 'VERIFIED', undefined],
  ] as const)('%s says why: %j', (_, comparison, state, reason) => {
    const driven = chart();
    for (const event of [bytes(0, 100), assembled, compared(comparison)]) driven.send(event);
    expect(recordOf(driven).state).toBe(state);
    expect(recordOf(driven).actor).not.toHaveProperty('decoding');
    expect(recordOf(driven).reason).toBe(reason);
    expect(driven.effects.at(-1)?.type).toBe('effect.close');
  });

  it('MC-XFER-033 MC-XFER-034 MC-XFER-035 a file that is decoded: count of samples, not decodable, offered again 30 s later', () => {
    const driven = chart();
    for (const event of [bytes(0, 100), assembled, compared(EQUAL, true)]) driven.send(event);
    expect(driven.effects.at(-1)).toMatchObject({ type: 'effect.decode', failures: 0, after: 0 });
    driven.send(failed);
    expect(driven.effects.at(-1)).toMatchObject({
      type: 'effect.decode',
      failures: 1,
      after: CREATED + 30_000,
    });
    expect(recordOf(driven)).toMatchObject({ state: 'VERIFIED', reason: 'no driver' });
    driven.send(decoded);
    expect(recordOf(driven)).toMatchObject({ state: 'PROCESSED', reason: '42 samples' });
    expect(recordOf(driven).actor.decoding).toEqual({ outcome: 'decoded', failures: 1 });
    const corrupted = chart().send(bytes(0, 100), assembled, compared(DIFFERS, true));
    expect(recordOf(corrupted).actor).not.toHaveProperty('decoding');
    const partly = chart();
    const some: Event = { ...decoded, leftOut: '3 packets unknown' };
    for (const event of [bytes(0, 100), assembled, compared(EQUAL, true), some]) partly.send(event);
    expect(recordOf(partly).reason).toBe('42 samples; 3 packets unknown');
    const other = chart();
    for (const event of [bytes(0, 100), assembled, compared(EQUAL, true), undecodable]) other.send(event);
    expect(recordOf(other)).toMatchObject({
      state: 'VERIFIED',
      actor: { decoding: { outcome: 'not_decodable', failures: 0 } },
    });
    expect(recordOf(other)).not.toHaveProperty('reason');
    expect(other.effects.at(-1)?.type).toBe('effect.close');
    const waiting = chart();
    for (const event of [bytes(0, 100), assembled, compared(EQUAL, true), failed, left]) waiting.send(event);
    expect(recordOf(waiting)).toMatchObject({
      state: 'VERIFIED',
      reason: 'too many wait',
      actor: { decoding: { outcome: 'left', failures: 1 } },
    });
    expect(waiting.effects.at(-1)?.type).toBe('effect.close');
  });

  it('transfer/record.B2 what keeps it from going on stands in its reason for as long as it does', () => {
    const driven = chart();
    driven.send(bytes(0, 40));
    driven.send({ type: 'hindrance.met', reason: 'the store is full' });
    driven.send({ type: 'hindrance.met', reason: 'the store is full' });
    expect(recordOf(driven)).toMatchObject({ state: 'PARTIAL', reason: 'the store is full' });
    expect(driven.records).toHaveLength(3);
    expect(driven.effects.filter(({ type }) => type !== 'effect.publish')).toEqual([]);
    driven.send({ type: 'hindrance.over' });
    expect(recordOf(driven).reason).toBeUndefined();
    driven.send(seen(3));
    driven.send({ type: 'hindrance.met', reason: 'late' });
    expect(recordOf(driven)).toMatchObject({ state: 'SUPERSEDED', reason: 'new generation' });
  });

  it('MC-XFER-023 is assembled once, whatever keeps it from that meanwhile', () => {
    const driven = chart();
    driven.send(bytes(0, 100), { type: 'hindrance.met', reason: 'the store is full' });
    driven.send({ type: 'hindrance.over' });
    expect(driven.effects.filter(({ type }) => type === 'effect.assemble')).toHaveLength(1);
  });

  it('a reason has so many characters, whoever gives it', () => {
    const most = 'x'.repeat(TRANSFER_REASON_CHARACTERS);
    const [met, met1] = [most, `${most}y`].map((reason) => chart().send({ type: 'hindrance.met', reason }));
    expect([recordOf(met!).reason, recordOf(met1!).reason]).toEqual([most, most]);
    expect(recordOf(met1!).actor.hindrance).toBe(most);
    const listed = compared({ ...DIFFERS, listed: most });
    const differing = chart().send(bytes(0, 100), assembled, listed);
    expect(recordOf(differing).reason).toHaveLength(TRANSFER_REASON_CHARACTERS);
    expect(recordOf(differing).actor.changes.at(-1)?.reason).toHaveLength(TRANSFER_REASON_CHARACTERS);
    const leaving: Event = { ...left, reason: `${most}y` };
    expect(recordOf(chart().send(bytes(0, 100), assembled, compared(EQUAL, true), leaving)).reason).toBe(
      most,
    );
  });

  it('MC-XFER-032 transfer/record.B3 each change is dated behind the one before, also by a leader whose clock is behind', () => {
    const behind = moved(transferOf({}), 'PARTIAL', CREATED - 900);
    const next = moved(behind, 'COMPLETE', CREATED - 900);
    expect(next.actor.changes.map(({ at }) => Date.parse(at) - CREATED)).toEqual([0, 1, 2]);
    expect(moved(next, 'VERIFIED', CREATED + 50).actor.changes.at(-1)?.at).toBe(
      new Date(CREATED + 50).toISOString(),
    );
  });

  it('MC-XFER-032 each change of state is published once, under its number', () => {
    const driven = chart();
    for (const event of [...ALL, assembled, compared(EQUAL, true), decoded]) driven.send(event);
    const published = driven.effects.flatMap((effect) =>
      effect.type === 'effect.publish' ? [[effect.n, effect.change.state]] : [],
    );
    expect(published).toEqual([
      [1, 'REQUESTED'],
      [2, 'PARTIAL'],
      [3, 'COMPLETE'],
      [4, 'VERIFIED'],
      [5, 'PROCESSED'],
    ]);
  });
});

describe('the record of a transfer', () => {
  const EVENTS = [
    ...ALL,
    bytes(0, 100),
    gone,
    assembled,
    compared(EQUAL),
    compared(EQUAL, true),
    compared(DIFFERS),
    compared(UNAVAILABLE),
    compared(REWRITTEN),
    failed,
    decoded,
    undecodable,
    left,
    seen(3),
  ];

  it('transfer/transfer.T1 puts the chart back where it stood, with what is still to be done, in every state there is', () => {
    const { edges, unreached } = explore(transferMachine, {
      input: transferInput(),
      at: CREATED,
      events: EVENTS,
    });
    expect(unreached).toEqual([]);
    for (const edge of edges) {
      const last = edge.records.at(-1);
      if (last === undefined) continue;
      const { stored } = last;
      const read = readStoredTransfer(transferKey(stored), Buffer.from(JSON.stringify(stored)));
      expect(read).toEqual(stored);
      expect(snapshotOf(stored).context.record).toBe(stored);
      expect(JSON.stringify(snapshotOf(stored).value)).toContain(edge.to.split('.').at(-1));
      const asked = edge.effects.filter(({ type }) => type !== 'effect.publish');
      expect(openEffects(stored).filter(({ type }) => type !== 'effect.publish')).toEqual(asked);
    }
  });

  it.each([
    ['another key', { file_id: '8' }],
    ['a generation that a double does not hold', { generation: 2 ** 53 }],
    ['a size below zero', { size: -1 }],
    ['an unknown state', { state: 'DONE' }],
    ['ranges that are none', { received: [[3]] }],
    ['ranges backwards', { received: [[9, 3]] }],
    ['no chart', { actor: undefined }],
    ['an upload without content', { direction: 'upload' }],
  ])('is not read with %s', (_, wrong) => {
    const stored = { ...transferOf(), ...wrong };
    expect(readStoredTransfer('sat1.7.2', Buffer.from(JSON.stringify(stored)))).toBeUndefined();
  });

  it('MC-XFER-006 MC-XFER-007 is kept under its target, file and generation, an upload with .up', () => {
    expect(transferKey(transferOf())).toBe('sat1.7.2');
    expect(transferKey(transferOf({ direction: 'upload', source: 'ab' }))).toBe('sat1.7.2.up');
    expect(isOpenTransfer(transferOf())).toBe(true);
  });
});
