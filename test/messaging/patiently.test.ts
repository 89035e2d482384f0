import { describe, expect, it } from 'vitest';
import { Outage } from '../../contract/outage.ts';
import { patiently, pause } from '../../messaging/patiently.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';

const away = (): Outage => new Outage('bus.unavailable', 'away');

describe('patience with the bus', () => {
  it('asks again until it answers', async () => {
    const clock = new ManualClock(0);
    let asked = 0;
    const answer = patiently(clock, new AbortController().signal, async () => {
      asked += 1;
      if (asked < 4) throw away();
      return 'there';
    });
    await clock.run(1_000, 10);
    expect(await answer).toEqual({ value: 'there' });
    expect(asked).toBe(4);
  });

  it('has none with what is no outage of the bus', async () => {
    const clock = new ManualClock(0);
    const { signal } = new AbortController();
    const fails = (error: Error) => patiently(clock, signal, () => Promise.reject(error));
    await expect(fails(new Outage('bus.no-responder', 'nobody'))).rejects.toThrow('nobody');
    await expect(fails(new Error('defect'))).rejects.toThrow('defect');
  });

  it('ends with its signal, also in the middle of a question and of a pause', async () => {
    const clock = new ManualClock(0);
    const abort = new AbortController();
    const inQuestion = patiently(clock, abort.signal, () => new Promise(() => undefined));
    const inPause = patiently(clock, abort.signal, () => Promise.reject(away()));
    const pausing = pause(clock, 1_000, abort.signal);
    await settled();
    expect(clock.waiting).toBe(2);
    abort.abort();
    expect(await Promise.all([inQuestion, inPause, pausing])).toEqual([undefined, undefined, undefined]);
    expect(clock.waiting).toBe(0);
    const asked: string[] = [];
    await patiently(clock, abort.signal, async () => asked.push('once'));
    expect(asked).toEqual([]);
  });
});
