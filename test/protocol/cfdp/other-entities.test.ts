/**
 * What entities of other hands do that ours does not, as the bytes they send: where they leave the standard and a file
 * is to arrive all the same, and where they read it in another way that it allows. No CRC, identifiers of one octet,
 * sequence numbers of one.
 */

import { describe, expect, it } from 'vitest';
import { condition } from '../../../protocol/cfdp/condition.ts';
import { type PduBody, writePdu } from '../../../protocol/cfdp/pdu.ts';
import { contentOf, entities, outcomesOf, pulled, read } from './pair.ts';

const SETTINGS = { idBytes: 1, sequenceBytes: 1, crc: false, crcRequired: false, pduBytes: 128 };
const CONTENT = contentOf(1_000);

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const said = (pdus: readonly Buffer[]): PduBody[] => pdus.map((pdu) => read(pdu).body);

/** Entity 1 is ours; what entity 2 says is given as bytes. */
function ours() {
  const { one, events } = entities(SETTINGS);
  return { one, events: events.one };
}

function sending() {
  const { one, events } = ours();
  const file = { sourceName: 'a', destinationName: 'b', size: CONTENT.length };
  const put = one.put({ file }, 0);
  if (!put.ok) throw new Error(put.faults.join());
  const sequence = Number(put.value.sequence).toString(16).padStart(2, '0');
  /** A directive towards the sender. */
  const answer = (body: string): Buffer => {
    const field = bytes(body);
    return bytes(
      `28 ${field.length.toString(16).padStart(4, '0')} 00 01 ${sequence} 02 ${field.toString('hex')}`,
    );
  };
  return { one, events, answer };
}

describe('MC-CFDP-001 an entity of another hand', () => {
  it('file-sender.S2 that asks for what it lacks, and acknowledges no repeated EOF meanwhile, gets its file', () => {
    const { one, events, answer } = sending();
    pulled(one, 0, CONTENT);
    let answered = 0;
    // Two minutes for the last of a long file over a slow link.
    for (let at = 9_000; at <= 120_000; at += 9_000) {
      one.tick(at);
      // NAK: scope 0 to 1,000, bytes 100 to 200.
      one.receive(answer('08 00000000 000003e8 00000064 000000c8'), at);
      if (said(pulled(one, at, CONTENT)).some(({ kind }) => kind === 'fileData')) answered += 1;
    }
    expect(answered).toBe(13);
    expect(outcomesOf(events as never)).toEqual([]);
    one.receive(answer('05 02'), 121_000);
    expect(outcomesOf(events as never)).toEqual([{ condition: 0, complete: true, verified: true }]);
  });

  it('file-sender.S2 that asks no more is given up after five acknowledgement timers, as one that never asked', () => {
    const { one, events, answer } = sending();
    pulled(one, 0, CONTENT);
    one.receive(answer('08 00000000 000003e8 00000064 000000c8'), 9_000);
    for (let at = 10_000; at < 59_000; at += 1_000) {
      one.tick(at);
      pulled(one, at, CONTENT);
      expect(outcomesOf(events as never)).toEqual([]);
    }
    for (let at = 59_000; at < 62_000; at += 1_000) {
      one.tick(at);
      pulled(one, at, CONTENT);
    }
    expect(outcomesOf(events as never)).toMatchObject([{ condition: condition.positiveAckLimit }]);
  });

  it.each([
    ['behind', ['ack', 'nak']],
    ['before', ['nak', 'ack']],
  ] as const)(
    'file-sender.S2 that asks for the metadata %s its acknowledgement of EOF gets EOF once more',
    (_, order) => {
      const { one, events, answer } = sending();
      pulled(one, 1_000, CONTENT);
      // NAK: scope 0 to 1,000, the metadata and bytes 0 to 100.
      const answers = { ack: '06 40 01', nak: '08 00000000 000003e8 00000000 00000000 00000000 00000064' };
      for (const kind of order) one.receive(answer(answers[kind]), 2_000);
      expect(said(pulled(one, 2_000, CONTENT))).toMatchObject([
        { kind: 'metadata', size: CONTENT.length },
        { kind: 'fileData', offset: 0 },
        { kind: 'eof', condition: 0, size: CONTENT.length },
      ]);
      for (const at of [11_000, 60_000, 120_000]) {
        one.tick(at);
        expect(pulled(one, at, CONTENT)).toEqual([]);
      }
      // Only data: its EOF is known there.
      one.receive(answer('08 00000000 000003e8 00000000 00000064'), 121_000);
      expect(said(pulled(one, 121_000, CONTENT))).toMatchObject([{ kind: 'fileData', offset: 0 }]);
      one.receive(answer('05 02'), 122_000);
      expect(outcomesOf(events as never)).toMatchObject([{ condition: 0, complete: true }]);
    },
  );

  it('that writes identifiers no wider than their values need is understood, whatever the width of ours', () => {
    const { one, events } = entities({ ...SETTINGS, idBytes: 8, sequenceBytes: 8 });
    const file = { sourceName: 'a', destinationName: 'b', size: CONTENT.length };
    const put = one.put({ file }, 0);
    if (!put.ok) throw new Error(put.faults.join());
    pulled(one, 10, CONTENT);
    const sequence = put.value.sequence.toString(16).padStart(12, '0');
    // NAK of bytes 0 to 96 whose scope ends at 0, and the acknowledgement of EOF with the subtype of one of
    // Finished: six octets of sequence number.
    one.receive(bytes(`28 0011 05 01 ${sequence} 02 08 00000000 00000000 00000000 00000060`), 11);
    one.receive(bytes(`28 0003 05 01 ${sequence} 02 06 41 01`), 12);
    expect(said(pulled(one, 1_000, CONTENT))).toMatchObject([{ kind: 'fileData', offset: 0 }]);
    one.receive(bytes(`28 0002 05 01 ${sequence} 02 05 02`), 2_000);
    expect(outcomesOf(events.one as never)).toMatchObject([{ condition: 0, complete: true }]);
    const [ack] = pulled(one, 2_000);
    expect(read(ack!)).toMatchObject({ header: { idBytes: 1, sequenceBytes: 6 }, body: { kind: 'ack' } });
  });

  it('that does not say where it cancelled is the one that cancelled', () => {
    const { one } = ours();
    one.receive(bytes('20 000a 00 02 07 01 07 00 000003e8 0161 0162'), 0);
    // EOF: cancel, checksum 0, nothing sent, and no location of the fault.
    one.receive(bytes('20 000a 00 02 07 01 04 f0 00000000 00000000'), 1);
    expect(said(pulled(one, 1))).toMatchObject([
      { kind: 'ack', of: 'eof', condition: condition.cancelRequested },
      { kind: 'finished', condition: condition.cancelRequested, options: [{ type: 6, value: Buffer.of(2) }] },
    ]);
  });

  it('that loses the acknowledgement while it sends again is acknowledged with every EOF, also behind Finished', () => {
    const { one } = entities(SETTINGS, { one: { accept: () => true } });
    const address = { ...read(bytes('20 0002 00 02 07 01 05 02')).header };
    one.receive(bytes('20 000a 00 02 07 01 07 0f 00000064 0161 0162'), 0);
    one.receive(writePdu(address, { kind: 'fileData', offset: 0, data: CONTENT.subarray(0, 100) }), 1);
    const eof = bytes('20 000a 00 02 07 01 04 00 00000000 00000064');
    for (const at of [2, 10_000, 20_000]) {
      one.receive(eof, at);
      expect(said(pulled(one, at))[0]).toMatchObject({ kind: 'ack', of: 'eof', condition: 0 });
    }
  });
});
