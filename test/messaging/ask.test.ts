import { describe, expect, it } from 'vitest';
import { Outage, type OutageCode } from '../../contract/outage.ts';
import { readReply } from '../../contract/reply.ts';
import { ask, askOrAway, askSettled, askWhileBusIsAway } from '../../messaging/ask.ts';
import type { Bus, Headers } from '../../ports/bus.ts';
import { ManualClock } from '../support/manual-clock.ts';

type Turn = Outage | Error | string;

/** Answers in turn, the last one again and again. */
function busOf(...turns: readonly Turn[]) {
  const sent: { to: string; data: string; headers: Headers | undefined; timeoutMs: number }[] = [];
  const request: Bus['request'] = async (to, data, { timeoutMs, headers }) => {
    sent.push({ to, data: Buffer.from(data).toString(), headers, timeoutMs });
    const turn = turns[Math.min(sent.length, turns.length) - 1]!;
    if (turn instanceof Error) throw turn;
    return Buffer.from(turn);
  };
  return { bus: { request }, sent };
}

const outage = (code: OutageCode, unsettled = false): Outage => new Outage(code, 'said', { unsettled });
const question = { to: 'mcs.a', call: { b: 1 }, read: readReply, timeoutMs: 7 };
const NOT_BACK = outage('bus.timeout', true);
const AWAY = outage('bus.unavailable');

describe('a question over the bus', () => {
  it.each<[string, Turn, object]>([
    ['the answer', '{"c":2}', { outcome: 'answered', answer: { c: 2 } }],
    ['nobody serves it', outage('bus.no-responder'), { outcome: 'unserved' }],
    ['no answer in time', outage('bus.timeout'), { outcome: 'unanswered', mayBeDone: true, message: 'said' }],
    ['ask.Q4 nobody is back yet', NOT_BACK, { outcome: 'unanswered', mayBeDone: false, message: 'said' }],
    ['ask.Q3 no answer', '[[', { outcome: 'unreadable', from: 'mcs.a', said: '[[' }],
  ])('ask.Q1 comes to one of four: %s', async (_name, turn, expected) => {
    expect(await ask(busOf(turn).bus, question)).toEqual(expected);
  });

  it('is sent as JSON, or as nothing where its subject says it all, with its time and headers', async () => {
    const { bus, sent } = busOf('{}');
    await ask(bus, { ...question, headers: { h: 'x' } });
    await ask(bus, { to: 'mcs.state', read: readReply, timeoutMs: 9 });
    expect(sent).toEqual([
      { to: 'mcs.a', data: '{"b":1}', headers: { h: 'x' }, timeoutMs: 7 },
      { to: 'mcs.state', data: '', headers: undefined, timeoutMs: 9 },
    ]);
  });

  it('ask.Q2 throws an outage of the bus and every defect, or gives the outage back to who wants it', async () => {
    await expect(ask(busOf(AWAY).bus, question)).rejects.toBe(AWAY);
    await expect(ask(busOf(new TypeError('long')).bus, question)).rejects.toThrow('long');
    expect(await askOrAway(busOf(AWAY).bus, question)).toEqual({ outcome: 'bus-away', outage: AWAY });
    await expect(askOrAway(busOf(new TypeError('long')).bus, question)).rejects.toThrow('long');
  });

  it('ask.Q3 says only the beginning of a malformed answer', async () => {
    const asked = await ask(busOf('x'.repeat(100_000)).bus, question);
    expect(asked).toEqual({ outcome: 'unreadable', from: 'mcs.a', said: 'x'.repeat(200) });
  });

  it('ask.Q4 is waited for as for the bus while nobody may be back yet, until aborted', async () => {
    await expect(askSettled(busOf(NOT_BACK).bus, question)).rejects.toMatchObject({ unsettled: true });
    const clock = new ManualClock(0);
    const abort = new AbortController();
    const { bus, sent } = busOf(NOT_BACK, AWAY, outage('bus.no-responder'));
    const answer = askWhileBusIsAway(bus, question, { clock, signal: abort.signal });
    await clock.run(2_000, 10);
    expect(await answer).toEqual({ outcome: 'unserved' });
    expect(sent).toHaveLength(3);
    const never = askWhileBusIsAway(busOf(AWAY).bus, question, { clock, signal: abort.signal });
    abort.abort();
    expect(await never).toBeUndefined();
  });
});

describe('a question that those who share the work may all answer', () => {
  const clock = new ManualClock(0);
  const toAll = { ...question, timeoutMs: 100, all: { to: 'mcs.a.all', afterMs: 10, clock } };

  /** Each subject is answered when it is said. */
  function shared() {
    const sent: { readonly to: string; readonly timeoutMs: number }[] = [];
    const end = new Map<string, (turn: Turn) => void>();
    const request: Bus['request'] = (to, _data, { timeoutMs }) =>
      new Promise((resolve, reject) => {
        sent.push({ to, timeoutMs });
        end.set(to, (turn) => (turn instanceof Error ? reject(turn) : resolve(Buffer.from(turn))));
      });
    return { bus: { request }, sent, end: (to: string, turn: Turn) => end.get(to)!(turn) };
  }

  it('ask.Q5 goes to one, and to all when that one is silent, within its time; the first answer counts', async () => {
    const { bus, sent, end } = shared();
    const asked = ask(bus, toAll);
    await clock.run(9, 1);
    expect(sent).toEqual([{ to: 'mcs.a', timeoutMs: 100 }]);
    await clock.run(1, 1);
    expect(sent.slice(1)).toEqual([{ to: 'mcs.a.all', timeoutMs: 90 }]);
    end('mcs.a.all', '{"c":2}');
    expect(await asked).toEqual({ outcome: 'answered', answer: { c: 2 } });
    // The one that slept.
    end('mcs.a', '{"c":1}');
    await clock.run(1_000, 10);
    expect(sent).toHaveLength(2);
  });

  it('ask.Q5 one that is only slow still counts, also where nobody serves the subject of all', async () => {
    for (const [turn, outcome] of [
      ['{"c":1}', { outcome: 'answered', answer: { c: 1 } }],
      [outage('bus.timeout'), { outcome: 'unanswered', mayBeDone: true, message: 'said' }],
    ] as const) {
      const { bus, sent, end } = shared();
      const asked = ask(bus, toAll);
      await clock.run(10, 1);
      expect(sent).toHaveLength(2);
      end('mcs.a.all', outage('bus.no-responder'));
      await clock.run(10, 1);
      end('mcs.a', turn);
      expect(await asked).toEqual(outcome);
    }
  });

  it('ask.Q5 what came of it at once is not asked again', async () => {
    for (const turn of ['{}', outage('bus.no-responder')]) {
      const { bus, sent, end } = shared();
      const asked = ask(bus, toAll);
      end('mcs.a', turn);
      await asked;
      await clock.run(1_000, 10);
      expect(sent).toHaveLength(1);
    }
  });
});
