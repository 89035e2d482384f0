/** The receiving end, classes 2 and 1: what it asks for, acknowledges and reports. */

import { describe, expect, it } from 'vitest';
import { fileChecksum } from '../../../protocol/cfdp/checksum.ts';
import { condition } from '../../../protocol/cfdp/condition.ts';
import type { Eof, Nak } from '../../../protocol/cfdp/directive.ts';
import type { FileData, PduBody } from '../../../protocol/cfdp/pdu.ts';
import { faultHandlerOverride } from '../../../protocol/cfdp/tlv.ts';
import { contentOf, kinds, metadata, outcomesOf, receiverFor, sentBy } from './pair.ts';

const CONTENT = contentOf(1_000);

function data(start: number, end: number): FileData {
  return { kind: 'fileData', offset: start, data: CONTENT.subarray(start, end) };
}

function eof(size = CONTENT.length, changes: Partial<Eof> = {}): Eof {
  const checksum = fileChecksum(0)!;
  checksum.add(0, CONTENT.subarray(0, size));
  return { kind: 'eof', condition: 0, checksum: checksum.value(size), size, options: [], ...changes };
}

const ACK_FINISHED: PduBody = { kind: 'ack', of: 'finished', condition: 0, status: 1 };
const naksOf = (bodies: readonly PduBody[]) => bodies.filter((body): body is Nak => body.kind === 'nak');

describe('MC-CFDP-001 receiving a file (class 2)', () => {
  it('gives each byte once, acknowledges EOF, says Finished, and is over when that is acknowledged', () => {
    const { receiver, events } = receiverFor();
    for (const body of [metadata(1_000), data(0, 600), data(0, 600), data(500, 1_000), eof()])
      receiver.receive(body, 0);
    const chunks = events.flatMap((event) =>
      event.kind === 'chunk' ? [[event.offset, event.bytes.length]] : [],
    );
    expect(chunks).toEqual([
      [0, 600],
      [600, 400],
    ]);
    expect(sentBy(receiver, 0)).toMatchObject([
      { kind: 'ack', of: 'eof', condition: 0, status: 1 },
      { kind: 'finished', condition: 0, complete: true, fileStatus: 2 },
    ]);
    expect(outcomesOf(events)).toEqual([{ condition: 0, complete: true, verified: true }]);
    receiver.receive(ACK_FINISHED, 10);
    expect(receiver.state).toBe('closed');
  });

  it('file-receiver.R2 EOF before the last data is no fault: the file completes when it arrives', () => {
    const { receiver, events } = receiverFor();
    for (const body of [metadata(1_000), data(0, 600), eof()]) receiver.receive(body, 0);
    sentBy(receiver, 0);
    receiver.receive(data(600, 1_000), 5_000);
    expect(kinds(sentBy(receiver, 5_000))).toEqual(['finished']);
    expect(outcomesOf(events)).toMatchObject([{ condition: 0, verified: true }]);
  });

  it('keeps data that come before the metadata, asks for these, and gives the data behind them', () => {
    const { receiver, events } = receiverFor({ settings: { gapMs: 0 } });
    receiver.receive(data(0, 500), 0);
    expect(events).toEqual([]);
    receiver.tick(0);
    expect(naksOf(sentBy(receiver, 0))).toEqual([{ kind: 'nak', scope: [0, 500], segments: [[0, 0]] }]);
    receiver.receive(metadata(1_000), 10);
    expect(events.map(({ kind }) => kind)).toEqual(['metadata', 'chunk']);
  });

  it('takes no more than its limit before the metadata, and asks for the rest behind them', () => {
    const { receiver } = receiverFor();
    const block = Buffer.alloc(60_000);
    for (let n = 0; n < 10; n += 1)
      receiver.receive({ kind: 'fileData', offset: n * 60_000, data: block }, 0);
    expect(receiver.received.total).toBe(240_000);
  });

  it('says the checksum differs and that the file is not complete', () => {
    const { receiver, events } = receiverFor();
    for (const body of [metadata(1_000), data(0, 1_000), eof(1_000, { checksum: 1 })])
      receiver.receive(body, 0);
    expect(sentBy(receiver, 0)[1]).toMatchObject({
      kind: 'finished',
      condition: 5,
      complete: false,
      fileStatus: 0,
    });
    expect(outcomesOf(events)).toEqual([{ condition: 5, complete: false, verified: false }]);
  });

  it('a type of checksum that is not supported is a fault that is ignored: complete, not verified', () => {
    const { receiver, events } = receiverFor();
    for (const body of [metadata(1_000, { checksumType: 1 }), data(0, 1_000), eof()])
      receiver.receive(body, 0);
    expect(events).toContainEqual({
      kind: 'fault',
      condition: condition.unsupportedChecksum,
      handler: 'ignore',
    });
    expect(outcomesOf(events)).toEqual([{ condition: 0, complete: true, verified: false }]);
  });

  it('data beyond the end, or an end before data that are there, is a fault of the size', () => {
    const beyond = receiverFor();
    for (const body of [metadata(1_000), eof(900), data(850, 950)]) beyond.receiver.receive(body, 0);
    expect(outcomesOf(beyond.events)).toMatchObject([{ condition: 6 }]);
    const before = receiverFor();
    for (const body of [metadata(1_000), data(800, 950), eof(900)]) before.receiver.receive(body, 0);
    expect(outcomesOf(before.events)).toMatchObject([{ condition: 6 }]);
    const large = receiverFor({ settings: { fileBytes: 500 } });
    for (const body of [metadata(1_000), data(450, 550)]) large.receiver.receive(body, 0);
    expect(outcomesOf(large.events)).toMatchObject([{ condition: 6 }]);
  });

  it('file-receiver.R3 repeats Finished five times and then gives up; the result stays', () => {
    const { receiver, events } = receiverFor();
    for (const body of [metadata(0), eof(0)]) receiver.receive(body, 0);
    let seen = 0;
    for (let now = 0; now <= 100_000; now += 1_000) {
      receiver.tick(now);
      seen += sentBy(receiver, now).filter(({ kind }) => kind === 'finished').length;
    }
    expect(seen).toBe(5);
    expect(receiver.state).toBe('closed');
    expect(outcomesOf(events)).toMatchObject([{ condition: 0, complete: true }]);
    expect(events.at(-1)).toEqual({ kind: 'fault', condition: 1, handler: 'abandon' });
  });

  it('metadata without a file are complete without an EOF, which is acknowledged when it comes', () => {
    const { receiver, events } = receiverFor();
    receiver.receive(metadata(0, { sourceName: '', destinationName: '' }), 0);
    expect(kinds(sentBy(receiver, 0))).toEqual(['finished']);
    receiver.receive(eof(0), 10);
    expect(kinds(sentBy(receiver, 10))).toEqual(['ack']);
    expect(outcomesOf(events)).toMatchObject([{ condition: 0, complete: true }]);
  });

  it('a refused file is finished with the condition of the refusal, and none of its bytes are given', () => {
    const { receiver, events } = receiverFor({ refuse: condition.filestoreRejection });
    for (const body of [data(0, 500), metadata(1_000), data(500, 1_000)]) receiver.receive(body, 0);
    expect(sentBy(receiver, 0)).toMatchObject([{ kind: 'finished', condition: 4, fileStatus: 1 }]);
    expect(events.some(({ kind }) => kind === 'chunk')).toBe(false);
  });

  it('takes the fault handlers of the metadata', () => {
    const { receiver, events } = receiverFor();
    const options = [faultHandlerOverride(condition.checksumFailure, 'ignore')];
    for (const body of [metadata(1_000, { options }), data(0, 1_000), eof(1_000, { checksum: 1 })]) {
      receiver.receive(body, 0);
    }
    expect(outcomesOf(events)).toEqual([{ condition: 0, complete: true, verified: false }]);
  });

  it('an EOF that cancels is acknowledged and finished with its condition and the truth about the bytes', () => {
    const partial = receiverFor();
    for (const body of [metadata(1_000), data(0, 600), eof(600, { condition: 15 })])
      partial.receiver.receive(body, 0);
    expect(sentBy(partial.receiver, 0)).toMatchObject([
      { kind: 'ack', of: 'eof', condition: 15 },
      { kind: 'finished', condition: 15, complete: false, fileStatus: 0 },
    ]);
    const whole = receiverFor({ settings: { keepIncomplete: true } });
    for (const body of [metadata(1_000), data(0, 1_000), eof(1_000, { condition: 15 })])
      whole.receiver.receive(body, 0);
    expect(sentBy(whole.receiver, 0)[1]).toMatchObject({ condition: 15, complete: true, fileStatus: 2 });
  });

  it('says where it was cancelled, in as many octets as identifiers of the transaction have', () => {
    const source = Buffer.of(0, 0, 0, 1);
    const said = [
      { options: [], location: source },
      { options: [{ type: 6, value: Buffer.of(9) }], location: Buffer.of(0, 0, 0, 9) },
      { options: [{ type: 6, value: Buffer.alloc(8, 9) }], location: Buffer.alloc(8, 9) },
    ];
    for (const { options, location } of said) {
      const { receiver } = receiverFor();
      for (const body of [metadata(1_000), eof(0, { condition: 15, options })]) receiver.receive(body, 0);
      expect(sentBy(receiver, 0)).toMatchObject([
        { kind: 'ack' },
        { kind: 'finished', options: [{ type: 6, value: location }] },
      ]);
    }
    const { receiver } = receiverFor();
    receiver.receive(metadata(1_000), 0);
    receiver.cancel(1);
    expect(sentBy(receiver, 1)).toMatchObject([{ options: [{ value: Buffer.of(0, 0, 0, 2) }] }]);
  });

  it('is cancelled here with a Finished that says where', () => {
    const { receiver, events } = receiverFor();
    for (const body of [metadata(1_000), data(0, 600)]) receiver.receive(body, 0);
    receiver.suspend(1);
    receiver.cancel(2);
    expect(sentBy(receiver, 2)).toMatchObject([{ kind: 'finished', condition: 15, options: [{ type: 6 }] }]);
    expect(outcomesOf(events)).toMatchObject([{ condition: 15, complete: false }]);
  });

  it('five minutes without a PDU are a fault', () => {
    const { receiver, events } = receiverFor();
    receiver.receive(metadata(1_000), 0);
    receiver.tick(299_999);
    expect(events.length).toBe(1);
    receiver.tick(300_000);
    expect(outcomesOf(events)).toMatchObject([{ condition: condition.inactivity }]);
  });
});

describe('MC-CFDP-001 asking again', () => {
  it('asks for a gap once it has stood for a moment, with a scope that continues the last one', () => {
    const { receiver } = receiverFor({ settings: { gapMs: 100 } });
    for (const body of [metadata(1_000), data(0, 100), data(200, 300)]) receiver.receive(body, 0);
    receiver.tick(99);
    expect(sentBy(receiver, 99)).toEqual([]);
    receiver.tick(100);
    expect(sentBy(receiver, 100)).toEqual([{ kind: 'nak', scope: [0, 300], segments: [[100, 200]] }]);
    receiver.receive(data(400, 500), 150);
    receiver.tick(250);
    expect(sentBy(receiver, 250)).toEqual([{ kind: 'nak', scope: [300, 500], segments: [[300, 400]] }]);
  });

  it('does not ask for what was only overtaken', () => {
    const { receiver } = receiverFor({ settings: { gapMs: 100 } });
    for (const body of [metadata(1_000), data(0, 100), data(200, 300)]) receiver.receive(body, 0);
    receiver.receive(data(100, 200), 50);
    receiver.tick(100);
    expect(sentBy(receiver, 100)).toEqual([]);
  });

  it('asks only behind EOF where that is set', () => {
    const { receiver } = receiverFor({ settings: { naks: 'deferred', gapMs: 0 } });
    for (const body of [metadata(1_000), data(0, 100), data(200, 300)]) receiver.receive(body, 0);
    receiver.tick(60_000);
    expect(sentBy(receiver, 60_000)).toEqual([]);
    receiver.receive(eof(), 60_000);
    expect(naksOf(sentBy(receiver, 60_000))).toEqual([
      {
        kind: 'nak',
        scope: [0, 1_000],
        segments: [
          [100, 200],
          [300, 1_000],
        ],
      },
    ]);
  });

  it('asking.A1 splits a NAK to the size of a PDU, with scopes that follow each other from 0 to the size', () => {
    const { receiver } = receiverFor({ room: 1 + 8 + 3 * 8 });
    receiver.receive(metadata(1_000), 0);
    for (let at = 10; at < 1_000; at += 20) receiver.receive(data(at, at + 10), 0);
    receiver.receive(eof(), 0);
    const naks = naksOf(sentBy(receiver, 0));
    expect(naks.length).toBe(17);
    expect(naks.every(({ segments }) => segments.length <= 3)).toBe(true);
    expect(naks[0]!.scope[0]).toBe(0);
    expect(naks.at(-1)!.scope[1]).toBe(1_000);
    expect(naks.slice(1).map(({ scope }) => scope[0])).toEqual(
      naks.slice(0, -1).map(({ scope }) => scope[1]),
    );
    for (const { scope, segments } of naks) {
      for (const [start, end] of segments) expect(scope[0] <= start && end <= scope[1]).toBe(true);
    }
    const asked = naks.flatMap(({ segments }) => segments);
    expect(asked).toEqual(Array.from({ length: 50 }, (_, n) => [n * 20, n * 20 + 10]));
  });

  it('cfdp/recovery.Y2 gives up after five NAK timers without a new byte, and counts from the beginning at each one', () => {
    const { receiver, events } = receiverFor({ settings: { gapMs: 0 } });
    for (const body of [metadata(1_000), data(0, 600), eof()]) receiver.receive(body, 0);
    const turn = (until: number, from: number) => {
      for (let now = from; now <= until; now += 500) {
        receiver.tick(now);
        sentBy(receiver, now);
      }
    };
    turn(49_000, 0);
    expect(outcomesOf(events)).toEqual([]);
    receiver.receive(data(600, 700), 49_000);
    turn(98_500, 49_000);
    expect(outcomesOf(events)).toEqual([]);
    turn(99_000, 98_500);
    expect(outcomesOf(events)).toMatchObject([{ condition: condition.nakLimit }]);
  });

  it('asking.A2 asks again within round trips, not timers, once it knows how long they are', () => {
    const { receiver } = receiverFor({ settings: { gapMs: 0 } });
    for (const body of [metadata(1_000), data(0, 100), data(200, 300), data(400, 500), eof(500)]) {
      receiver.receive(body, 0);
    }
    expect(naksOf(sentBy(receiver, 0)).length).toBe(1);
    receiver.receive(data(100, 200), 600);
    receiver.tick(1_799);
    expect(sentBy(receiver, 1_799)).toEqual([]);
    receiver.tick(1_800);
    expect(naksOf(sentBy(receiver, 1_800))).toMatchObject([{ segments: [[300, 400]] }]);
  });

  it('answers a prompt for a NAK with one, also where nothing is missing, and one for progress', () => {
    const { receiver } = receiverFor();
    for (const body of [metadata(1_000), data(0, 100)]) receiver.receive(body, 0);
    receiver.receive({ kind: 'prompt', response: 'nak' }, 0);
    expect(sentBy(receiver, 0)).toEqual([{ kind: 'nak', scope: [0, 100], segments: [] }]);
    receiver.receive({ kind: 'prompt', response: 'keepAlive' }, 0);
    expect(sentBy(receiver, 0)).toEqual([{ kind: 'keepAlive', progress: 100 }]);
  });
});

describe('MC-CFDP-001 receiving a file without acknowledgements (class 1)', () => {
  it('sends nothing, and completes behind EOF', () => {
    const { receiver, events } = receiverFor({ mode: 'unacknowledged' });
    for (const body of [metadata(1_000), data(0, 300), data(600, 1_000), eof()]) receiver.receive(body, 0);
    receiver.receive(data(300, 600), 5_000);
    expect(sentBy(receiver, 5_000)).toEqual([]);
    expect(outcomesOf(events)).toEqual([{ condition: 0, complete: true, verified: true }]);
    expect(receiver.state).toBe('closed');
  });

  it('waits for what is missing behind EOF, five times, and says then that the file stays incomplete', () => {
    const { receiver, events } = receiverFor({ mode: 'unacknowledged' });
    for (const body of [metadata(1_000), data(0, 300), eof()]) receiver.receive(body, 0);
    for (let now = 0; now < 50_000; now += 1_000) receiver.tick(now);
    expect(outcomesOf(events)).toEqual([]);
    receiver.tick(50_000);
    expect(outcomesOf(events)).toMatchObject([{ condition: condition.checkLimit, complete: false }]);
    expect(sentBy(receiver, 50_000)).toEqual([]);
  });

  it('says Finished once where closure is requested', () => {
    const { receiver } = receiverFor({ mode: 'unacknowledged' });
    for (const body of [metadata(1_000, { closure: true }), data(0, 1_000), eof()]) receiver.receive(body, 0);
    expect(kinds(sentBy(receiver, 0))).toEqual(['finished']);
    expect(receiver.state).toBe('closed');
  });
});
