/** Failures that users of other implementations reported, each as what happens here instead. */

import { describe, expect, it } from 'vitest';
import { CfdpEntity } from '../../../protocol/cfdp/entity.ts';
import type { CfdpEvent } from '../../../protocol/cfdp/event.ts';
import { type Pdu, writePdu } from '../../../protocol/cfdp/pdu.ts';
import { contentOf, entities, pulled, read, talk } from './pair.ts';

const SIZE = 20_000;
const CONTENT = contentOf(SIZE);
const FILE = { sourceName: 'a', destinationName: 'a', size: SIZE };

function putIn(pair: ReturnType<typeof entities>, at = 0) {
  const put = pair.one.put({ file: FILE }, at);
  if (!put.ok) throw new Error(put.faults[0]);
  return put.value;
}

const received = (events: readonly CfdpEvent[]) => {
  const file = Buffer.alloc(SIZE);
  for (const event of events) if (event.kind === 'chunk') file.set(event.bytes, event.offset);
  return file;
};
const outcomes = (events: readonly CfdpEvent[]) =>
  events.flatMap((event) => (event.kind === 'ended' ? [event.outcome.condition] : []));

describe('MC-CFDP-001 known failures of other implementations', () => {
  it('wedges after loss of signal, because nothing is asked for again when the link is back: it is asked at once', () => {
    const pair = entities();
    putIn(pair);
    const lossy = (pdu: Pdu) => pdu.body.kind !== 'fileData' || pdu.body.offset % 3 !== 0;
    const at = talk(pair, 0, { content: CONTENT, turns: 2, keeps: lossy });
    pair.one.linkDown(at);
    pair.two.linkDown(at);
    const back = at + 6 * 3_600_000;
    pair.one.linkUp(back);
    pair.two.linkUp(back);
    const first = pulled(pair.two, back).map((pdu) => read(pdu).body.kind);
    expect(first).toContain('nak');
    talk(pair, back, { content: CONTENT, turns: 20 });
    expect(received(pair.events.two)).toEqual(CONTENT);
    expect(outcomes(pair.events.one)).toEqual([0]);
  });

  it('does not resume after loss of signal because its timers ran out meanwhile: no time counts', () => {
    const pair = entities();
    putIn(pair);
    // Everything was sent, and every acknowledgement is lost with the link.
    const at = talk(pair, 0, {
      content: CONTENT,
      turns: 2,
      keeps: ({ header }) => header.towards === 'receiver',
    });
    for (const entity of [pair.one, pair.two]) entity.linkDown(at);
    for (let hour = 1; hour < 24; hour += 1) {
      for (const entity of [pair.one, pair.two]) {
        entity.tick(at + hour * 3_600_000);
        expect(entity.pull(at + hour * 3_600_000)).toBeUndefined();
      }
    }
    const back = at + 24 * 3_600_000;
    for (const entity of [pair.one, pair.two]) entity.linkUp(back);
    talk(pair, back, { content: CONTENT, turns: 5 });
    expect([outcomes(pair.events.one), outcomes(pair.events.two)]).toEqual([[0], [0]]);
  });

  it('EOF received while suspended wedges the transfer: it is taken, and answered on resumption', () => {
    const pair = entities();
    const id = putIn(pair);
    const at = talk(pair, 0, { content: CONTENT, turns: 1 });
    const pdus = pulled(pair.one, at, CONTENT);
    pair.two.receive(pdus[0]!, at);
    pair.two.suspend(id, at);
    for (const pdu of pdus.slice(1)) if (read(pdu).body.kind !== 'fileData') pair.two.receive(pdu, at);
    expect(pulled(pair.two, at)).toEqual([]);
    pair.two.resume(id, at + 20_000);
    const answers = pulled(pair.two, at + 20_000).map((pdu) => read(pdu).body.kind);
    expect(answers.slice(0, 2)).toEqual(['ack', 'nak']);
    for (const pdu of pdus) pair.two.receive(pdu, at + 20_100);
    talk(pair, at + 20_200, { content: CONTENT });
    expect(received(pair.events.two)).toEqual(CONTENT);
    expect(outcomes(pair.events.one)).toEqual([0]);
  });

  it('a NAK is larger than the PDU: it is split, and every part fits', () => {
    const pair = entities({ pduBytes: 100 });
    putIn(pair);
    const keeps = (pdu: Pdu) => pdu.body.kind !== 'fileData' || Math.floor(pdu.body.offset / 82) % 2 === 0;
    pair.one.tick(1_000);
    for (const pdu of pulled(pair.one, 1_000, CONTENT)) if (keeps(read(pdu))) pair.two.receive(pdu, 1_000);
    const naks = pulled(pair.two, 1_000).filter((pdu) => read(pdu).body.kind === 'nak');
    const sizes = naks.map(({ length }) => length);
    expect(naks.length).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    for (const nak of naks) pair.one.receive(nak, 1_500);
    talk(pair, 2_000, { content: CONTENT });
    expect(received(pair.events.two)).toEqual(CONTENT);
  });

  it('numbers of transactions wrap at 256 and meet old ones: a later transaction of a number is its own', () => {
    const pair = entities({ sequenceBytes: 1 });
    let at = 0;
    const used: bigint[] = [];
    for (let n = 0; n < 300; n += 1) {
      at += 1_000;
      const put = pair.one.put({ file: { ...FILE, size: 10 } }, at);
      used.push(put.ok ? put.value.sequence : -1n);
      at = talk(pair, at, { turns: 2 });
    }
    expect(new Set(used).size).toBe(256);
    expect(outcomes(pair.events.two)).toEqual(Array.from({ length: 300 }, () => 0));
    expect(outcomes(pair.events.one)).toEqual(Array.from({ length: 300 }, () => 0));
  });

  it('a number that comes around while the last one of it is still answered for begins with other metadata', () => {
    const pair = entities({ sequenceBytes: 1 });
    const first = putIn(pair);
    talk(pair, 0, { content: CONTENT });
    const other: CfdpEvent[] = [];
    // A restarted peer whose clock went back uses the number again.
    const one = new CfdpEntity(
      {
        settings: { local: 1n, sequenceBytes: 1 },
        peer: 2n,
        wallMs: 1_900_000_000_000,
        emit: (event) => other.push(event),
      },
      10_000,
    );
    const again = one.put({ file: { ...FILE, destinationName: 'another' } }, 10_000);
    expect(again).toEqual({ ok: true, value: first });
    talk({ one, two: pair.two }, 11_000, { content: CONTENT });
    expect(outcomes(other)).toEqual([0]);
    expect(outcomes(pair.events.two)).toEqual([0, 0]);
  });

  it('a second EOF is not answered: each one is, also when the transaction is over or was never known', () => {
    const pair = entities();
    putIn(pair);
    pair.one.tick(1_000);
    const pdus = pulled(pair.one, 1_000, CONTENT);
    const eof = pdus.at(-1)!;
    for (const pdu of pdus) pair.two.receive(pdu, 1_000);
    const answer = (now: number) => {
      pair.two.receive(eof, now);
      return pulled(pair.two, now)
        .map(read)
        .find(({ body }) => body.kind === 'ack')?.body;
    };
    expect(answer(2_000)).toMatchObject({ of: 'eof', status: 1 });
    expect(answer(3_000)).toMatchObject({ of: 'eof', status: 1 });
    talk(pair, 4_000, { content: CONTENT });
    expect(pair.two.transactions).toBe(0);
    expect(answer(30_000)).toMatchObject({ of: 'eof', status: 2 });
    // Another life of the receiver knows nothing of it, and a cancelled one need not begin.
    const two = entities().two;
    const cancel = { kind: 'eof', condition: 15, checksum: 0, size: 0, options: [] } as const;
    const { header } = read(eof);
    two.receive(writePdu(header, cancel), 0);
    expect(pulled(two, 0).map((each) => read(each).body)).toMatchObject([{ kind: 'ack', status: 0 }]);
  });

  it('Finished is lost for ever: both ends come to an end, and the file is there', () => {
    const pair = entities();
    putIn(pair);
    talk(pair, 0, {
      content: CONTENT,
      turns: 2_000,
      stepMs: 1_000,
      keeps: ({ body }) => body.kind !== 'finished',
    });
    expect([pair.one.transactions, pair.two.transactions]).toEqual([0, 0]);
    expect(received(pair.events.two)).toEqual(CONTENT);
    expect(outcomes(pair.events.two)).toEqual([0]);
    expect(outcomes(pair.events.one)).toEqual([8]);
  });

  it('the receiver restarts in the middle and loses the data: it asks for all of it and gets it', () => {
    const pair = entities();
    putIn(pair);
    pair.one.tick(1_000);
    const pdus = pulled(pair.one, 1_000, CONTENT);
    for (const pdu of pdus.slice(0, 10)) pair.two.receive(pdu, 1_000);
    const later = entities();
    for (const pdu of pdus.slice(10)) later.two.receive(pdu, 1_000);
    talk({ one: pair.one, two: later.two }, 1_100, { content: CONTENT });
    expect(received(later.events.two)).toEqual(CONTENT);
    expect(outcomes(pair.events.one)).toEqual([0]);
  });

  it('the sender restarts in the middle: the receiver ends after silence and says so', () => {
    const pair = entities();
    putIn(pair);
    pair.one.tick(1_000);
    for (const pdu of pulled(pair.one, 1_000, CONTENT).slice(0, 5)) pair.two.receive(pdu, 1_000);
    const later = entities();
    talk({ one: later.one, two: pair.two }, 2_000, { turns: 1_000, stepMs: 1_000 });
    expect(outcomes(pair.events.two)).toEqual([8]);
    expect(pair.two.transactions).toBe(0);
  });

  it('stalls at 16 MB and burns the processor: work for each PDU stays the same with half of the segments lost', () => {
    const size = 20 * 1024 * 1024;
    const pair = entities({ pduBytes: 1_024 });
    pair.one.put({ file: { ...FILE, size } }, 0);
    const block = Buffer.alloc(65_536);
    let at = 1_000;
    for (let turn = 0; pair.two.transactions + pair.one.transactions > 0 && turn < 200_000; turn += 1) {
      at += 50;
      pair.one.tick(at);
      pair.two.tick(at);
      for (let n = 0; n < 50; n += 1) {
        for (const { id, range } of pair.one.wanted()) {
          pair.one.give(id, range[0], block.subarray(0, range[1] - range[0]), at);
        }
        const pdu = pair.one.pull(at);
        if (pdu === undefined) break;
        if (n % 2 === 0 || turn > 800) pair.two.receive(pdu, at);
      }
      for (const pdu of [pair.two.pull(at), pair.two.pull(at)])
        if (pdu !== undefined) pair.one.receive(pdu, at);
      pair.events.two.splice(
        0,
        pair.events.two.length,
        ...pair.events.two.filter(({ kind }) => kind === 'ended'),
      );
    }
    expect(outcomes(pair.events.two)).toEqual([0]);
    // 20,900 segments at 50 a turn, every second one of the first 40,000 lost.
    expect(at / 50).toBeLessThan((3 * 20_900) / 50);
  }, 60_000);
});
