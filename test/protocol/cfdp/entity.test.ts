/** Entities: many transactions, requests for files, restarts, names and bounds. */

import { describe, expect, it } from 'vitest';
import { CFDP_DOWNLOADS, CFDP_TRANSACTIONS } from '../../../contract/limits/cfdp.ts';
import { accepted } from '../../../contract/result.ts';
import { condition, conditionText } from '../../../protocol/cfdp/condition.ts';
import { CfdpEntity } from '../../../protocol/cfdp/entity.ts';
import type { CfdpEvent } from '../../../protocol/cfdp/event.ts';
import { isNameBelow } from '../../../protocol/cfdp/names.ts';
import { writePdu } from '../../../protocol/cfdp/pdu.ts';
import { SequenceNumbers } from '../../../protocol/cfdp/sequence-numbers.ts';
import type { TransactionId } from '../../../protocol/cfdp/user-message.ts';
import { contentOf, entities, metadata, pulled, read, talk } from './pair.ts';

const FILE = { sourceName: 'images/a', destinationName: 'a', size: 3_000 };
const CONTENT = contentOf(3_000);

function idOf(result: ReturnType<CfdpEntity['put']>): TransactionId {
  if (!result.ok) throw new Error(result.faults[0]);
  return result.value;
}

const received = (events: readonly CfdpEvent[]) =>
  Buffer.concat(events.flatMap((event) => (event.kind === 'chunk' ? [event.bytes] : [])));
const kindsOf = (events: readonly CfdpEvent[]) => events.map(({ kind }) => kind);
const downloadsOf = (events: readonly CfdpEvent[]) =>
  events.filter((event) => event.kind === 'downloadEnded');

/** The second entity serves what it is asked for. */
function serving(changes = {}) {
  const pair = entities(changes, {
    one: { accept: () => false },
    two: {
      emit: (event) => {
        if (event.kind !== 'proxyPut') return;
        const { id: originating, sourceName, destinationName } = event;
        if (sourceName === 'absent') pair.two.refusePut(originating, condition.filestoreRejection, 0);
        else if (sourceName !== 'silence') {
          pair.two.put({ file: { sourceName, destinationName, size: 3_000 }, originating }, 0);
        }
      },
    },
  });
  return pair;
}

describe('MC-CFDP-001 a file between two entities', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('arrives whole with identifiers of %i octets', (octets) => {
    const pair = entities({ idBytes: octets, sequenceBytes: 9 - octets, pduBytes: 200 });
    idOf(pair.one.put({ file: FILE }, 0));
    talk(pair, 0, { content: CONTENT });
    expect(received(pair.events.two)).toEqual(CONTENT);
    expect(pair.events.one.at(-1)).toMatchObject({
      kind: 'ended',
      outcome: { condition: 0, complete: true },
    });
    expect([pair.one.transactions, pair.two.transactions]).toEqual([0, 0]);
  });

  it('a file beyond 4 GiB has offsets of 64 bits in every PDU', () => {
    const pair = entities();
    const size = 5_000_000_000;
    const id = idOf(pair.one.put({ file: { ...FILE, size } }, 0));
    pair.one.tick(1_000);
    const [first] = Array.from({ length: 1 }, () => pair.one.pull(1_000)!);
    expect(read(first!).header.large).toBe(true);
    pair.two.receive(first!, 1_000);
    const { header } = read(first!);
    const last = Buffer.from('the end');
    pair.two.receive(writePdu(header, { kind: 'fileData', offset: size - 7, data: last }), 1_000);
    pair.two.tick(2_000);
    const [nak] = pulled(pair.two, 2_000).map(read);
    expect(nak).toMatchObject({ header: { large: true }, body: { segments: [[0, size - 7]] } });
    expect(pair.two.report(id)).toMatchObject({ bytes: 7, size });
  });

  it('many transactions take turns, each by source and number', () => {
    const pair = entities({ sequenceBytes: 8 });
    const ids = [1, 2, 3].map((n) => idOf(pair.one.put({ file: { ...FILE, destinationName: `f${n}` } }, 0)));
    talk(pair, 0, { content: CONTENT, turns: 1 });
    const order: bigint[] = [];
    for (let n = 0; n < 9; n += 1) {
      for (const { id, range } of pair.one.wanted())
        pair.one.give(id, range[0], CONTENT.subarray(...range), 1_000);
      order.push(read(pair.one.pull(1_000)!).header.sequence);
    }
    const turns = ids.map(({ sequence }) => sequence);
    expect(order).toEqual([...turns, ...turns, ...turns]);
  });
});

describe('MC-CFDP-007 a download by a proxy put request', () => {
  it('brings the file, and is known by the transaction that asked for it (downloads.J1)', () => {
    const pair = serving();
    const id = idOf(pair.one.get({ sourceName: 'images/a', destinationName: 'a' }, 0));
    talk(pair, 0, { content: CONTENT });
    expect(received(pair.events.one)).toEqual(CONTENT);
    expect(downloadsOf(pair.events.one)).toEqual([
      { kind: 'downloadEnded', id, outcome: { condition: 0, complete: true, verified: true } },
    ]);
  });

  it('two files of one name asked for at once are not mixed up', () => {
    const pair = serving();
    const ids = [0, 1].map(() => idOf(pair.one.get({ sourceName: 'images/a', destinationName: 'a' }, 0)));
    talk(pair, 0, { content: CONTENT });
    const begun = pair.events.one.filter((event) => event.kind === 'downloadBegun');
    expect(begun.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(new Set(begun.map(({ by }) => by.sequence)).size).toBe(2);
    expect(downloadsOf(pair.events.one).length).toBe(2);
  });

  it('MC-CFDP-005 fails with the condition of an answer that says why there is no file', () => {
    const pair = serving();
    const id = idOf(pair.one.get({ sourceName: 'absent', destinationName: 'a' }, 0));
    talk(pair, 0);
    expect(downloadsOf(pair.events.one)).toMatchObject([{ id, outcome: { condition: 4, complete: false } }]);
  });

  it('MC-CFDP-005 fails when nothing has come for too long, and not while the link is away', () => {
    const pair = serving();
    idOf(pair.one.get({ sourceName: 'silence', destinationName: 'a' }, 0));
    const at = talk(pair, 0);
    pair.one.linkDown(at);
    pair.one.tick(at + 10_000_000);
    expect(downloadsOf(pair.events.one)).toEqual([]);
    pair.one.linkUp(at + 10_000_000);
    pair.one.tick(at + 10_000_000 + 119_999 - at);
    expect(downloadsOf(pair.events.one)).toEqual([]);
    pair.one.tick(at + 10_000_000 + 120_000 - at);
    expect(downloadsOf(pair.events.one)).toMatchObject([{ outcome: { condition: condition.inactivity } }]);
  });

  it('is cancelled wherever it is: before it began by a message, behind by its transaction', () => {
    const pair = serving();
    const early = idOf(pair.one.get({ sourceName: 'silence', destinationName: 'a' }, 0));
    const at = talk(pair, 0);
    pair.one.cancel(early, at);
    talk(pair, at, { keeps: (pdu) => pdu.body.kind !== 'finished' });
    expect(downloadsOf(pair.events.one)).toMatchObject([{ outcome: { condition: 15 } }]);

    const late = serving();
    const id = idOf(late.one.get({ sourceName: 'images/a', destinationName: 'a' }, 0));
    const then = talk(late, 0, {
      content: CONTENT,
      keeps: ({ body }) => body.kind !== 'eof' || body.size === 0,
      turns: 5,
    });
    late.one.cancel(id, then);
    talk(late, then, { content: CONTENT });
    expect(downloadsOf(late.events.one)).toMatchObject([{ outcome: { condition: 15 } }]);
    expect([late.one.transactions, late.two.transactions]).toEqual([0, 0]);
  });

  it('a file that arrives for a request that is over is refused (downloads.J3)', () => {
    const pair = serving();
    const id = idOf(pair.one.get({ sourceName: 'images/a', destinationName: 'a' }, 0));
    const pdus = [0, 500, 1_000].flatMap((now) => {
      pair.one.tick(now);
      return pulled(pair.one, now);
    });
    pair.one.cancel(id, 1_000);
    for (const pdu of pdus) pair.two.receive(pdu, 1_000);
    talk(pair, 1_500, { content: CONTENT });
    expect(kindsOf(pair.events.one)).not.toContain('chunk');
  });

  it('stays suspended from before it began until it is resumed', () => {
    const pair = serving();
    const id = idOf(pair.one.get({ sourceName: 'images/a', destinationName: 'a' }, 0));
    const first = [0, 500].flatMap((now) => {
      pair.one.tick(now);
      return pulled(pair.one, now);
    });
    pair.one.suspend(id, 500);
    for (const pdu of first) pair.two.receive(pdu, 500);
    const lossy = {
      content: CONTENT,
      keeps: ({ body }: { body: { kind: string; offset?: number } }) => body.offset !== 0,
    };
    const at = talk(pair, 500, lossy);
    expect(downloadsOf(pair.events.one)).toEqual([]);
    expect(pair.one.report(id)).toMatchObject({ role: 'receiver', suspended: true });
    pair.one.resume(id, at);
    talk(pair, at, { content: CONTENT });
    expect(downloadsOf(pair.events.one)).toMatchObject([{ outcome: { complete: true } }]);
    expect([pair.one.transactions, pair.two.transactions]).toEqual([0, 0]);
  });
});

describe('what the other entity may not do', () => {
  it('names.isNameBelow takes names below a folder and nothing else', () => {
    for (const name of ['a', 'images/2026/a.jpg', '.hidden', 'a..b', 'ü'])
      expect(isNameBelow(name)).toBe(true);
    for (const name of [
      '',
      '/etc/passwd',
      '..',
      'a/../../b',
      'a/./b',
      'a//b',
      'a/',
      'C:x',
      '\\\\host\\x',
      'a\u0000b',
    ]) {
      expect(isNameBelow(name)).toBe(false);
    }
    expect(isNameBelow('x'.repeat(256))).toBe(false);
  });

  it.each(['/etc/passwd', '../a', 'a/../../b'])(
    'entity.E5 put a file at %s: it is refused',
    (destinationName) => {
      const pair = entities();
      idOf(pair.one.put({ file: { ...FILE, destinationName } }, 0));
      talk(pair, 0, { content: CONTENT });
      expect(kindsOf(pair.events.two)).toEqual(['metadata', 'ended']);
      expect(pair.events.one.at(-1)).toMatchObject({ outcome: { condition: condition.filestoreRejection } });
    },
  );

  it('entity.E5 send a file that nobody asked for and the caller does not accept', () => {
    const pair = entities({}, { two: { accept: () => false } });
    idOf(pair.one.put({ file: FILE }, 0));
    talk(pair, 0, { content: CONTENT });
    expect(kindsOf(pair.events.two)).not.toContain('chunk');
  });

  it('entity.E3 begin more transactions than there is room for, or have more answered', () => {
    const { two } = entities();
    const address = {
      towards: 'receiver',
      mode: 'acknowledged',
      crc: true,
      large: false,
      segmentation: false,
    } as const;
    for (let n = 0; n < 2_000; n += 1) {
      const id = { idBytes: 2, sequenceBytes: 4, source: 1n, sequence: BigInt(n), destination: 2n };
      two.receive(writePdu({ ...address, ...id }, metadata(10)), 0);
    }
    expect([two.transactions, two.counts.refused]).toEqual([CFDP_TRANSACTIONS, 2_000 - CFDP_TRANSACTIONS]);
    for (let n = 5_000; n < 7_000; n += 1) {
      const id = { idBytes: 2, sequenceBytes: 4, source: 1n, sequence: BigInt(n), destination: 2n };
      two.receive(
        writePdu({ ...address, ...id }, { kind: 'eof', condition: 15, checksum: 0, size: 0, options: [] }),
        0,
      );
    }
    expect(pulled(two, 0).length).toBe(64);
  });

  it('entity.E2 reach another entity, go the wrong way or be malformed: it is counted, and the next PDU counts', () => {
    const { one, two } = entities();
    idOf(one.put({ file: FILE }, 0));
    one.tick(1_000);
    const [pdu] = pulled(one, 1_000);
    const { header } = read(pdu!);
    two.receive(Buffer.from('nonsense'), 0);
    two.receive(writePdu({ ...header, destination: 9n }, metadata(1)), 0);
    two.receive(writePdu(header, { kind: 'keepAlive', progress: 1 }), 0);
    two.receive(writePdu({ ...header, crc: false }, metadata(1)), 0);
    expect(two.counts).toMatchObject({ malformed: 2, foreign: 1, misdirected: 1 });
    two.receive(pdu!, 0);
    expect(two.transactions).toBe(1);
  });

  it('a caller asks for no more transactions and downloads than there is room for', () => {
    const { one } = entities();
    for (let n = 0; n < CFDP_DOWNLOADS; n += 1)
      expect(one.get({ sourceName: 'a', destinationName: 'b' }, 0).ok).toBe(true);
    expect(one.get({ sourceName: 'a', destinationName: 'b' }, 0)).toMatchObject({ faults: [/32 downloads/] });
    for (let n = CFDP_DOWNLOADS; n < CFDP_TRANSACTIONS; n += 1)
      expect(one.put({ file: FILE }, 0).ok).toBe(true);
    expect(one.put({ file: FILE }, 0)).toMatchObject({ faults: [/64 transactions/] });
  });

  it('an order that no PDU can say is refused with the reason', () => {
    const { one } = entities({ pduBytes: 64 });
    expect(one.put({ file: { ...FILE, size: -1 } }, 0)).toMatchObject({ faults: [/-1 bytes/] });
    expect(one.put({ file: { ...FILE, sourceName: 'x'.repeat(300) } }, 0)).toMatchObject({
      faults: [/at most 255/],
    });
    expect(one.put({ file: { ...FILE, sourceName: 'x'.repeat(60) } }, 0)).toMatchObject({
      faults: [/room for/],
    });
    const odd = entities({ checksumType: 1 });
    expect(odd.one.put({ file: FILE }, 0)).toMatchObject({ faults: [/checksum type 1/] });
  });

  it('content that cannot be read any more ends its transaction', () => {
    const pair = entities();
    const id = idOf(pair.one.put({ file: FILE }, 0));
    pair.one.give(id, 0, undefined, 0);
    expect(pair.events.one).toMatchObject([{ kind: 'ended', outcome: { condition: 4 } }]);
    expect(pair.one.transactions).toBe(0);
  });
});

it('MC-CFDP-005 every condition has a text for whoever is informed of a failure', () => {
  const texts = Object.values(condition).map(conditionText);
  expect(new Set(texts).size).toBe(texts.length);
  expect(conditionText(condition.inactivity)).toBe('nothing is received any more');
  expect(conditionText(12)).toBe('condition 12');
});

describe('MC-CFDP-009 numbers of transactions', () => {
  it.each([1, 2, 3, 4, 8])(
    'sequence-numbers.X1 of %i octets are not used again by a later life',
    (octets) => {
      const used = new Set<bigint>();
      let now = 0;
      for (let life = 0; life < 5; life += 1) {
        const numbers = new SequenceNumbers(octets, now, 1_900_000_000_000 + now);
        for (let n = 0; n < 20; n += 1) {
          const { sequence, from } = numbers.next(now, () => false);
          // Killed before the moment of a number, it was never sent.
          if (from > now + 3_000) continue;
          expect(used.has(sequence)).toBe(false);
          used.add(sequence);
        }
        now += 3_500;
      }
    },
  );

  it('sequence-numbers.X1 nothing of a transaction is sent before the moment of its number', () => {
    const { one } = entities({ sequenceBytes: 2 });
    for (let n = 0; n < 3; n += 1) one.put({ file: { ...FILE, size: 0 } }, 0);
    expect(pulled(one, 0)).toEqual([]);
    const metadataAt = (now: number) =>
      pulled(one, now).filter((pdu) => read(pdu).body.kind === 'metadata').length;
    expect(one.nextDue(0)).toBe(250);
    expect([metadataAt(250), metadataAt(500), metadataAt(750)]).toEqual([1, 1, 1]);
  });

  it('MC-CFDP-009 a life that begins again brings the file that the one before it did not', () => {
    const pair = serving();
    idOf(pair.one.get({ sourceName: 'images/a', destinationName: 'a' }, 0));
    const at = talk(pair, 0, {
      content: CONTENT,
      turns: 4,
      keeps: ({ body }) => body.kind !== 'eof' || body.size === 0,
    });
    const events: CfdpEvent[] = [];
    const settings = { local: 1n };
    const one = new CfdpEntity(
      { settings, peer: 2n, wallMs: 1_900_000_000_000 + at, emit: (event) => events.push(event) },
      at,
    );
    expect(one.get({ sourceName: 'images/a', destinationName: 'a' }, at)).toMatchObject(accepted({}));
    talk({ one, two: pair.two }, at, { content: CONTENT, turns: 400 });
    expect(downloadsOf(events)).toMatchObject([{ outcome: { complete: true, verified: true } }]);
    expect([one.transactions, pair.two.transactions]).toEqual([0, 0]);
  });
});

describe('incoming.M5 while another entity of its identifier has the link', () => {
  it('what is unknown begins nothing and is not answered, whatever it is', () => {
    let isElsewhere = true;
    const pair = entities({ ackMs: 1_000 }, { one: { leavesUnknown: () => isElsewhere } });
    const { one, two } = pair;
    idOf(two.put({ file: FILE }, 0));
    const pdus = pulled(two, 1_000, CONTENT);
    const { header } = read(pdus[0]!);
    const finished = { kind: 'finished', condition: 0, complete: true, fileStatus: 2, options: [] } as const;
    const ours = { ...header, source: 1n, destination: 2n, towards: 'sender' } as const;
    for (const pdu of [...pdus, writePdu(ours, finished)]) one.receive(pdu, 1_000);
    expect(pdus.map((pdu) => read(pdu).body.kind)).toContain('eof');
    expect([one.transactions, one.counts.unknown]).toEqual([0, pdus.length + 1]);
    isElsewhere = false;
    one.tick(2_000);
    expect(pulled(one, 2_000)).toEqual([]);
    for (const pdu of pdus) one.receive(pdu, 3_000);
    expect(received(pair.events.one)).toEqual(CONTENT);
  });

  it('what is known here goes on, and a file that was asked for here comes', () => {
    let isElsewhere = false;
    const pair = entities(
      {},
      {
        one: { accept: () => false, leavesUnknown: () => isElsewhere },
        two: {
          emit: (event) => {
            if (event.kind === 'proxyPut') two.put({ file: FILE, originating: event.id }, 0);
          },
        },
      },
    );
    const { one, two } = pair;
    idOf(one.get({ sourceName: 'images/a', destinationName: 'a' }, 0));
    for (const pdu of pulled(one, 1_000)) two.receive(pdu, 1_000);
    isElsewhere = true;
    for (const pdu of pulled(two, 2_000, CONTENT)) one.receive(pdu, 2_000);
    expect(received(pair.events.one)).toEqual(CONTENT);
  });
});

describe('a spacecraft that begins its numbers again', () => {
  const modes = ['acknowledged', 'unacknowledged'] as const;
  const OTHER = Buffer.from(CONTENT.map((byte) => byte ^ 0xff));

  /** What a spacecraft sends of a file in that mode; each life of it gives the same number. */
  function sentInLife(mode: (typeof modes)[number], destinationName: string, content: Buffer): Buffer[] {
    const { one } = entities({ pduBytes: 512 });
    idOf(one.put({ file: { ...FILE, destinationName } }, 0));
    return pulled(one, 1_000, content).map((pdu) => {
      const { header, body } = read(pdu);
      return writePdu({ ...header, mode }, body);
    });
  }

  it.each(modes)('incoming.M4 mixes nothing into a file that is still open here (%s)', (mode) => {
    const { two, events } = entities({ pduBytes: 512 });
    const before = sentInLife(mode, 'before', CONTENT);
    const behind = sentInLife(mode, 'behind', OTHER);
    for (const pdu of before.slice(0, 4)) two.receive(pdu, 1_000);
    const cut = events.two.length;
    for (const pdu of behind) two.receive(pdu, 2_000);
    const [ended, begun] = events.two.slice(cut);
    expect(ended).toMatchObject({
      kind: 'ended',
      outcome: { condition: condition.inactivity, complete: false },
    });
    expect(begun).toMatchObject({ kind: 'metadata', metadata: { destinationName: 'behind' } });
    expect(received(events.two.slice(cut))).toEqual(OTHER);
    expect(events.two.at(-1)).toMatchObject({ kind: 'ended', outcome: { condition: 0, verified: true } });
  });

  it.each(modes)('incoming.M4 the same metadata again are a duplicate (%s)', (mode) => {
    const { two, events } = entities({ pduBytes: 512 });
    const pdus = sentInLife(mode, 'same', CONTENT);
    for (const pdu of [...pdus.slice(0, 4), pdus[0]!, ...pdus.slice(4)]) two.receive(pdu, 1_000);
    expect(kindsOf(events.two).filter((kind) => kind === 'metadata').length).toBe(1);
    expect(events.two.at(-1)).toMatchObject({ kind: 'ended', outcome: { condition: 0, verified: true } });
    expect(received(events.two)).toEqual(CONTENT);
  });
});
