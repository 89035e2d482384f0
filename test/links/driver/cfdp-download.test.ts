/** What goes out of a download by CFDP, and under which name: from a spacecraft whose PDUs are written here by hand. */

import { describe, expect, it } from 'vitest';
import type { CfdpCall, CfdpReply } from '../../../contract/cfdp.ts';
import type { FileChunk } from '../../../contract/file-chunk.ts';
import { CFDP_ASK_MS } from '../../../contract/limits/cfdp.ts';
import { CfdpFiles } from '../../../links/driver/cfdp-files.ts';
import { checksumType, fileChecksum } from '../../../protocol/cfdp/checksum.ts';
import { condition } from '../../../protocol/cfdp/condition.ts';
import type { Metadata } from '../../../protocol/cfdp/directive.ts';
import { type PduAddress, type PduBody, readPdu, writePdu } from '../../../protocol/cfdp/pdu.ts';
import { faultHandlerOverride } from '../../../protocol/cfdp/tlv.ts';
import { type TransactionId, userMessagesOf, writeUserMessage } from '../../../protocol/cfdp/user-message.ts';
import { contentOf } from '../../protocol/cfdp/pair.ts';

const SIZE = 4_000;
const PIECE = 500;
const ONE = contentOf(SIZE);
const TWO = Buffer.from(ONE).reverse();
const DOWN: CfdpCall = { target: 'sat2', file_id: '7', generation: 3, direction: 'download', size: SIZE };

interface Sent {
  readonly content: Buffer;
  readonly mode?: PduAddress['mode'];
  readonly type?: number;
  /** Pieces that do not arrive, by their number. */
  readonly lost?: readonly number[];
  /** What the EOF says instead of what is right. */
  readonly checksum?: number;
  readonly options?: Metadata['options'];
}

class Hand {
  now = 1_000;
  readonly chunks: FileChunk[] = [];
  readonly ground: CfdpFiles;
  #names = 0;
  #sequence = 0n;

  constructor() {
    const settings = { local: 1n, pduBytes: 1_024 };
    const newTransaction = (): string => `t${++this.#names}`;
    const chunk = (each: FileChunk): void => {
      this.chunks.push({ ...each, data: Buffer.from(each.data) });
    };
    this.ground = new CfdpFiles({ settings, peer: 42n, wallMs: 1, newTransaction, chunk }, this.now);
  }

  /** Asks for the file, and gives the transaction of the request. */
  request(): TransactionId {
    expect(this.ground.answer(DOWN, this.now)).toEqual({ outcome: 'running', bytes: 0 });
    for (let tries = 0; tries < 100; tries += 1, this.now += 100) {
      const pdu = this.ground.pull(this.now);
      const read = pdu && readPdu(pdu);
      if (read?.ok !== true || read.value.body.kind !== 'metadata') continue;
      const asks = userMessagesOf(read.value.body.options).some(({ kind }) => kind === 'proxyPutRequest');
      if (asks) return read.value.header;
    }
    throw new Error('nothing is asked for');
  }

  /** Sends the file once, in its order. */
  send(originating: TransactionId, { content, mode = 'acknowledged', type = 0, ...sent }: Sent): void {
    const form = { crc: true, large: false, segmentation: false, idBytes: 2, sequenceBytes: 4 };
    const id = { source: 42n, sequence: ++this.#sequence, destination: 1n };
    const address: PduAddress = { towards: 'receiver', mode, ...form, ...id };
    const give = (body: PduBody): void => this.ground.receive(writePdu(address, body), this.now);
    const origin = { kind: 'originatingTransaction', id: originating, idBytes: 2, sequenceBytes: 4 } as const;
    const names = { sourceName: '7', destinationName: '7', size: SIZE };
    const options = [writeUserMessage(origin as never), ...(sent.options ?? [])];
    give({ kind: 'metadata', closure: false, checksumType: type, ...names, options });
    for (let n = 0; n * PIECE < SIZE; n += 1) {
      const offset = n * PIECE;
      const data = content.subarray(offset, offset + PIECE);
      if (sent.lost?.includes(n) !== true) give({ kind: 'fileData', offset, data });
    }
    const right = fileChecksum(type)!;
    right.add(0, content);
    const checksum = sent.checksum ?? right.value(SIZE);
    give({ kind: 'eof', condition: condition.noError, checksum, size: SIZE, options: [] });
  }

  /** Asks until it does not run any more. */
  ended(): CfdpReply {
    for (let n = 0; n < 200; n += 1) {
      const reply = this.ground.answer(DOWN, this.now);
      if (reply.outcome !== 'running') return reply;
      for (const end = this.now + CFDP_ASK_MS; this.now < end; this.now += 500) {
        this.ground.tick(this.now);
        while (this.ground.pull(this.now) !== undefined);
      }
    }
    throw new Error('it runs for ever');
  }

  /** What came under each name, and how much of it. */
  brought(): Record<string, { readonly file: Buffer; readonly bytes: number }> {
    const all: Record<string, { file: Buffer; bytes: number }> = {};
    for (const { transaction = '', offset, data } of this.chunks) {
      all[transaction] ??= { file: Buffer.alloc(SIZE), bytes: 0 };
      all[transaction].file.set(data, offset);
      all[transaction].bytes += data.length;
    }
    return all;
  }
}

describe('a download of class 2', () => {
  it('MC-GEN-022 cfdp-download.N1 has another name with each transaction', () => {
    const hand = new Hand();
    for (const content of [ONE, TWO]) {
      hand.send(hand.request(), { content });
      expect(hand.ended()).toEqual({ outcome: 'completed' });
      hand.now += 60_000;
    }
    expect(hand.brought()).toEqual({ t1: { file: ONE, bytes: SIZE }, t2: { file: TWO, bytes: SIZE } });
  });

  it.each([
    ['cancelled', []],
    ['tolerated at the wish of its sender', [faultHandlerOverride(condition.checksumFailure, 'ignore')]],
  ])('MC-GEN-022 cfdp-download.N2 a wrong checksum, %s, leaves nobody with a whole file', (_, options) => {
    const hand = new Hand();
    hand.send(hand.request(), { content: ONE, checksum: 1, options });
    expect(hand.ended()).toEqual({ outcome: 'failed', reason: 'the checksum differs' });
    expect(hand.brought()['t1']!.bytes).toBe(SIZE - PIECE);
    hand.send(hand.request(), { content: TWO });
    expect(hand.ended()).toEqual({ outcome: 'completed' });
    expect(hand.brought()['t2']).toEqual({ file: TWO, bytes: SIZE });
  });

  it('cfdp-download.N2 a type of checksum that nobody computes here is no fault', () => {
    const hand = new Hand();
    hand.send(hand.request(), { content: ONE, type: checksumType.none });
    expect(hand.ended()).toEqual({ outcome: 'completed' });
    expect(hand.brought()['t1']).toEqual({ file: ONE, bytes: SIZE });
  });
});

describe('a download of class 1', () => {
  const mode = 'unacknowledged';

  it('cfdp-download.N3 is complemented by the next transaction, each byte once', () => {
    const hand = new Hand();
    hand.send(hand.request(), { content: ONE, mode, lost: [0, 3, 7] });
    expect(hand.ended()).toMatchObject({ outcome: 'failed', reason: 'the file stays incomplete' });
    hand.send(hand.request(), { content: ONE, mode, lost: [1, 3] });
    expect(hand.ended()).toMatchObject({ outcome: 'failed' });
    hand.send(hand.request(), { content: ONE, mode, lost: [2, 4, 6] });
    expect(hand.ended()).toEqual({ outcome: 'completed' });
    expect(hand.brought()).toEqual({ t1: { file: ONE, bytes: SIZE } });
  });

  it('MC-GEN-022 cfdp-download.N3 not where the file was written again: nobody has a whole one, and it begins again', () => {
    const hand = new Hand();
    hand.send(hand.request(), { content: ONE, mode, lost: [5] });
    expect(hand.ended()).toMatchObject({ outcome: 'failed' });
    hand.send(hand.request(), { content: TWO, mode });
    expect(hand.ended()).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/did not bring the same file/),
    });
    expect(hand.brought()['t1']!.bytes).toBeLessThan(SIZE);
    hand.send(hand.request(), { content: TWO, mode });
    expect(hand.ended()).toEqual({ outcome: 'completed' });
    expect(hand.brought()['t2']).toEqual({ file: TWO, bytes: SIZE });
  });

  it('cfdp-files.W6 fails when the rest does not come, though its sender would have that ignored', () => {
    const hand = new Hand();
    const options = [faultHandlerOverride(condition.checkLimit, 'ignore')];
    hand.send(hand.request(), { content: ONE, mode: 'unacknowledged', lost: [3], options });
    expect(hand.ended()).toEqual({ outcome: 'failed', reason: 'the file stays incomplete' });
  });

  it('MC-GEN-022 cfdp-download.N3 not without a checksum', () => {
    const hand = new Hand();
    const type = checksumType.none;
    hand.send(hand.request(), { content: ONE, mode, type, lost: [5] });
    expect(hand.ended()).toMatchObject({ outcome: 'failed' });
    hand.send(hand.request(), { content: TWO, mode, type });
    expect(hand.ended()).toEqual({ outcome: 'completed' });
    expect(hand.brought()['t2']).toEqual({ file: TWO, bytes: SIZE });
  });
});
