/** The sending end: metadata, content, EOF, what is asked for again, faults. */

import { describe, expect, it } from 'vitest';
import { condition } from '../../../protocol/cfdp/condition.ts';
import type { Eof, Finished, Nak } from '../../../protocol/cfdp/directive.ts';
import type { PduBody } from '../../../protocol/cfdp/pdu.ts';
import { contentOf, kinds, outcomesOf, SEGMENT, senderFor, sentBy } from './pair.ts';

const FINISHED: Finished = { kind: 'finished', condition: 0, complete: true, fileStatus: 2, options: [] };
const ackOf = (code = 0, status = 1): PduBody => ({ kind: 'ack', of: 'eof', condition: code, status });
const nak = (...segments: [number, number][]): Nak => ({ kind: 'nak', scope: [0, 1_000], segments });

describe('MC-CFDP-001 sending a file', () => {
  it('sends metadata, then the content in order in segments, then EOF with size and checksum', () => {
    const { sender } = senderFor(250);
    const sent = sentBy(sender, 0, contentOf(250));
    expect(kinds(sent)).toEqual(['metadata', '0', '100', '200', 'eof']);
    const data = sent.flatMap((body) => (body.kind === 'fileData' ? [body.data] : []));
    expect(Buffer.concat(data)).toEqual(contentOf(250));
    expect(sent.at(-1)).toMatchObject({ condition: 0, size: 250 });
  });

  it('sends an empty file as metadata and an EOF of size 0 and checksum 0', () => {
    const { sender } = senderFor(0);
    const sent = sentBy(sender, 0);
    expect(kinds(sent)).toEqual(['metadata', 'eof']);
    expect(sent[1]).toMatchObject({ size: 0, checksum: 0 });
  });

  it('repeats EOF at each acknowledgement timer, five times in all, then cancels and at last gives up (file-sender.S2, S4)', () => {
    const { sender, events } = senderFor(SEGMENT);
    sentBy(sender, 0);
    const seen: string[] = [];
    for (let now = 0; now <= 200_000; now += 1_000) {
      sender.tick(now);
      for (const body of sentBy(sender, now)) seen.push(`${now / 1_000} eof ${(body as Eof).condition}`);
    }
    const times = (code: number, from: number) =>
      Array.from({ length: 5 }, (_, n) => `${from + 10 * n} eof ${code}`);
    expect(seen).toEqual([...times(0, 0).slice(1), ...times(1, 50)]);
    expect(outcomesOf(events)).toEqual([{ condition: 1, complete: false, verified: false }]);
    expect(sender.state).toBe('closed');
  });

  it('stops repeating EOF once it is acknowledged, and then waits for five minutes of silence', () => {
    const { sender, events } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.receive(ackOf(), 100);
    sender.tick(300_099);
    expect(sentBy(sender, 300_099)).toEqual([]);
    expect(events).toEqual([]);
    sender.tick(300_100);
    expect(outcomesOf(events)).toMatchObject([{ condition: condition.inactivity }]);
  });

  it('does not wait for five minutes on a receiver that does not know the transaction', () => {
    const { sender, events } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.receive(ackOf(0, 0), 100);
    sender.tick(10_100);
    expect(outcomesOf(events)).toMatchObject([{ condition: condition.inactivity }]);
  });

  it('takes Finished before EOF was acknowledged, and reports the result once (file-sender.S3)', () => {
    const { sender, events } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.receive(FINISHED, 10);
    sender.receive(FINISHED, 20);
    expect(outcomesOf(events)).toEqual([{ condition: 0, complete: true, verified: true }]);
    expect(sentBy(sender, 30)).toEqual([]);
    expect(sender.nextDue).toBeUndefined();
  });
});

describe('MC-CFDP-001 sending again', () => {
  it('sends exactly what is asked for, split to segments, before what was never sent', () => {
    const { sender } = senderFor(1_000);
    sender.give(0, contentOf(1_000));
    const first = [1, 2, 3, 4, 5].map(() => sender.pull(0)!);
    expect(kinds(first)).toEqual(['metadata', '0', '100', '200', '300']);
    sender.receive(nak([50, 260]), 1_000);
    const sent = sentBy(sender, 1_000, contentOf(1_000));
    expect(kinds(sent).slice(0, 4)).toEqual(['50', '150', '250', '400']);
    expect((sent[2] as { data: Uint8Array }).data.length).toBe(10);
  });

  it('sends the metadata again where the segment 0, 0 asks for it', () => {
    const { sender } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.receive(nak([0, 0]), 1_000);
    expect(kinds(sentBy(sender, 1_000))).toEqual(['metadata']);
  });

  it('answers NAKs in every state before the end, also behind the acknowledgement of EOF', () => {
    const { sender } = senderFor(300);
    sentBy(sender, 0);
    sender.receive(ackOf(), 10);
    sender.receive(nak([100, 200]), 1_000);
    expect(kinds(sentBy(sender, 1_000))).toEqual(['100']);
  });

  it('ignores and counts segments that are reversed or beyond the file', () => {
    const { sender } = senderFor(300);
    sentBy(sender, 0);
    sender.receive(nak([200, 100], [250, 301], [5_000, 6_000], [0, 10]), 1_000);
    expect(kinds(sentBy(sender, 1_000))).toEqual(['0']);
    expect(sender.ignored).toBe(3);
  });

  it('does not answer a NAK twice that the link doubled (file-output.F2)', () => {
    const { sender } = senderFor(300);
    sentBy(sender, 0);
    sender.receive(nak([100, 200]), 1_000);
    sender.receive(nak([100, 200]), 1_000);
    expect(kinds(sentBy(sender, 1_000))).toEqual(['100']);
    sender.receive(nak([100, 200]), 1_100);
    expect(sentBy(sender, 1_100)).toEqual([]);
    sender.receive(nak([100, 200]), 2_000);
    expect(kinds(sentBy(sender, 2_000))).toEqual(['100']);
  });

  it('asks its caller for no more than a block at a time, whatever the size of the file (file-output.F1)', () => {
    const { sender } = senderFor(256 * 1024 * 1024);
    sender.pull(0);
    expect(sender.wanted).toEqual([0, 65_536]);
    sender.give(0, Buffer.alloc(65_536));
    expect(sender.wanted).toBeUndefined();
    for (let n = 0; n < 655; n += 1) sender.pull(0);
    expect(sender.pull(0)).toBeUndefined();
    expect(sender.wanted).toEqual([65_500, 65_500 + 65_536]);
  });
});

describe('MC-CFDP-001 stopping', () => {
  it('sends nothing while suspended, moves no timer, and goes on at the offset', () => {
    const { sender, events } = senderFor(300);
    sender.give(0, contentOf(300));
    expect(kinds([sender.pull(0)!, sender.pull(0)!])).toEqual(['metadata', '0']);
    sender.suspend(10);
    sender.tick(10_000_000);
    expect(sender.pull(10_000_000)).toBeUndefined();
    expect(sender.nextDue).toBeUndefined();
    sender.resume(10_000_000);
    expect(kinds(sentBy(sender, 10_000_000, contentOf(300)))).toEqual(['100', '200', 'eof']);
    expect(events).toEqual([]);
  });

  it('running-time.W1 counts no time while the link is down, and sends EOF at once when it is back', () => {
    const { sender, events } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.linkDown(9_000);
    sender.tick(9_000_000);
    sender.linkUp(9_000_000);
    expect(kinds(sentBy(sender, 9_000_000))).toEqual(['eof']);
    expect(events).toEqual([]);
  });

  it('stays stopped while only one of two reasons is over', () => {
    const { sender } = senderFor(SEGMENT);
    sender.linkDown(0);
    sender.suspend(0);
    sender.linkUp(10);
    expect(sender.pull(10)).toBeUndefined();
    sender.resume(20);
    expect(sender.pull(20)?.kind).toBe('metadata');
  });

  it('cancels with an EOF that says how far it came and where, also while suspended (file-sender.S4)', () => {
    const { sender, events } = senderFor(300);
    sender.give(0, contentOf(300));
    sender.pull(0);
    sender.pull(0);
    sender.suspend(5);
    sender.cancel(10);
    const [eof] = sentBy(sender, 10);
    expect(eof).toMatchObject({ kind: 'eof', condition: 15, size: 100, options: [{ type: 6 }] });
    expect(outcomesOf(events)).toEqual([{ condition: 15, complete: false, verified: false }]);
    sender.receive(ackOf(15), 20);
    expect(sender.state).toBe('closed');
  });

  it('a late acknowledgement of the first EOF is none of the one that cancels', () => {
    const { sender } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.cancel(10);
    sentBy(sender, 10);
    sender.receive(ackOf(0), 20);
    expect(sender.state).toBe('cancelling');
  });

  it('is over at once when it is cancelled before anything was sent', () => {
    const { sender } = senderFor(SEGMENT);
    sender.cancel(0);
    expect(sender.state).toBe('closed');
    expect(sender.pull(0)).toBeUndefined();
  });

  it('MC-CFDP-001 machine.C3 handlers cancel, suspend, ignore or abandon', () => {
    const handled = (handler: 'suspend' | 'ignore' | 'abandon' | 'cancel') => {
      const { sender, events } = senderFor(SEGMENT, { faultHandlers: { 1: handler }, ackLimit: 1 });
      sentBy(sender, 0);
      sender.tick(10_000);
      expect(events[0]).toEqual({ kind: 'fault', condition: 1, handler });
      return { sender, ended: outcomesOf(events).length };
    };
    const suspended = handled('suspend');
    expect([suspended.ended, suspended.sender.pull(10_000)]).toEqual([0, undefined]);
    suspended.sender.resume(20_000);
    expect(kinds(sentBy(suspended.sender, 20_000))).toEqual(['eof']);
    const ignored = handled('ignore');
    expect([ignored.ended, ...kinds(sentBy(ignored.sender, 10_000))]).toEqual([0, 'eof']);
    const abandoned = handled('abandon');
    expect([abandoned.ended, abandoned.sender.state]).toEqual([1, 'closed']);
    const cancelled = handled('cancel');
    expect([cancelled.ended, cancelled.sender.state]).toEqual([1, 'cancelling']);
  });

  it('a receiver that is too far behind is a fault, where a limit is set', () => {
    const { sender, events } = senderFor(1_000, { keepAliveBytes: 500 });
    sentBy(sender, 0);
    sender.receive({ kind: 'keepAlive', progress: 500 }, 10);
    expect(events).toEqual([]);
    sender.receive({ kind: 'keepAlive', progress: 499 }, 20);
    expect(outcomesOf(events)).toMatchObject([{ condition: condition.keepAliveLimit }]);
  });

  it('prompts for a NAK or a keep alive when asked to', () => {
    const { sender } = senderFor(SEGMENT);
    sentBy(sender, 0);
    sender.prompt('keepAlive');
    expect(sentBy(sender, 10)).toEqual([{ kind: 'prompt', response: 'keepAlive' }]);
  });
});
