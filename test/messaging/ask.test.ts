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
