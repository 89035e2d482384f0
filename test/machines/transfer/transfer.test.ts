/** The chart of a transfer against the table of section 3.5, on every path, and what it records on the way. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isOpenTransfer,
  readStoredTransfer,
  type StoredTransfer,
  TRANSFER_STATES,
  transferKey,
} from '../../../contract/transfer.ts';
import { openEffects } from '../../../machines/transfer/next.ts';
import type { Comparison } from '../../../machines/transfer/protocol.ts';
import { hasEveryByte } from '../../../machines/transfer/record.ts';
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
    expect(recordOf(driven)).toMatchObject({ received: [[0, 100]] });
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

  it('MC-XFER-019 a file without bytes is COMPLETE at once, and is verified', () => {
    const driven = chart({ size: 0 });
    expect(states(driven)).toEqual(['COMPLETE']);
    expect(driven.effects.map(({ type }) => type)).toEqual(['effect.publish', 'effect.verify']);
    driven.send(compared(NOTHING));
    expect(recordOf(driven)).toMatchObject({ state: 'VERIFIED', reason: 'no checksum to verify' });
  });

  it.each([
    ['MC-XFER-025', NOTHING, 'VERIFIED', 'no checksum to verify'],
    ['MC-XFER-026', DIFFERS, 'CORRUPTED', 'crc32 is 01, listed is 02'],
    ['MC-XFER-027 MC-LIM-020', UNAVAILABLE, 'COMPLETE', 'checksum blake3 is not available'],
    ['MC-UPL-007', UNLISTED, 'VERIFIED', 'no listing to verify it with'],
    ['MC-XFER-005', EQUAL, 'VERIFIED', undefined],
  ] as const)('%s says why: %j', (_, comparison, state, reason) => {
    const driven = chart();
    for (const event of [bytes(0, 100), assembled, compared(comparison)]) driven.send(event);
    expect(recordOf(driven).state).toBe(state);
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
    const other = chart();
    for (const event of [bytes(0, 100), assembled, compared(EQUAL, true), undecodable]) other.send(event);
    expect(recordOf(other).state).toBe('VERIFIED');
    expect(other.effects.at(-1)?.type).toBe('effect.close');
    const waiting = chart();
    for (const event of [bytes(0, 100), assembled, compared(EQUAL, true), failed, left]) waiting.send(event);
    expect(recordOf(waiting)).toMatchObject({ state: 'VERIFIED', reason: 'too many wait' });
    expect(waiting.effects.at(-1)?.type).toBe('effect.close');
  });

  it('transfer/record.B2 what keeps it from going on stands in its reason for as long as it does', () => {
    const driven = chart();
    driven.send(bytes(0, 40));
    driven.send({ type: 'hindrance.met', reason: 'the store is full' });
    driven.send({ type: 'hindrance.met', reason: 'the store is full' });
    expect(recordOf(driven)).toMatchObject({ state: 'PARTIAL', reason: 'the store is full' });
    expect(driven.records).toHaveLength(3);
    driven.send({ type: 'hindrance.over' });
    expect(recordOf(driven).reason).toBeUndefined();
    driven.send(seen(3));
    driven.send({ type: 'hindrance.met', reason: 'late' });
    expect(recordOf(driven)).toMatchObject({ state: 'SUPERSEDED', reason: 'new generation' });
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
    gone,
    assembled,
    compared(EQUAL),
    compared(EQUAL, true),
    compared(UNAVAILABLE),
    failed,
    decoded,
    undecodable,
    left,
    seen(3),
  ];

  it('transfer/transfer.T1 puts the chart back where it stood, with what is still to be done, in every state there is', () => {
    for (const edge of explore(transferMachine, { input: transferInput(), at: CREATED, events: EVENTS })
      .edges) {
      const last = edge.records.at(-1);
      if (last === undefined) continue;
      const { stored } = last;
      const read = readStoredTransfer(transferKey(stored), Buffer.from(JSON.stringify(stored)));
      expect(read).toEqual(stored);
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
