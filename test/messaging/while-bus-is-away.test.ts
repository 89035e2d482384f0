import { describe, expect, it } from 'vitest';
import { Outage } from '../../contract/outage.ts';
import { pause } from '../../messaging/pause.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';

const away = (): Outage => new Outage('bus.unavailable', 'away');

describe('waiting while the bus is away', () => {
  it('asks again until it answers', async () => {
    const clock = new ManualClock(0);
    let asked = 0;
    const answer = retryWhileBusIsAway({ clock, signal: new AbortController().signal }, async () => {
      asked += 1;
      if (asked < 4) throw away();
      return 'there';
    });
    await clock.run(1_000, 10);
    expect(await answer).toEqual({ value: 'there' });
    expect(asked).toBe(4);
  });

  it('while-bus-is-away.A2 waits for every outage where the step asks nothing but the bus', async () => {
    const clock = new ManualClock(0);
    const { signal } = new AbortController();
    let asked = 0;
    const answer = retryWhileBusIsAway({ clock, signal, waitsFor: everyOutage }, async () => {
      asked += 1;
      if (asked < 3) throw new Outage('bus.timeout', 'late');
      return asked;
    });
    await clock.run(1_000, 10);
    expect(await answer).toEqual({ value: 3 });
  });

  it('is paused for as long as its rounds say, which it reports, and goes on at once when it is woken', async () => {
    const clock = new ManualClock(0);
    const abort = new AbortController();
    const rounds: [number, number][] = [];
    let wake: () => void = () => undefined;
    let forgotten = 0;
    const waiting = {
      clock,
      signal: abort.signal,
      pauseMs: (round: number) => 100 * 2 ** round,
      waits: (_outage: Outage, round: number) => void rounds.push([clock.now(), round]),
      wakeOn: (go: () => void) => {
        wake = go;
        return () => {
          forgotten += 1;
        };
      },
    };
    const never = retryWhileBusIsAway(waiting, () => Promise.reject(away()));
    await settled();
    await clock.run(700, 10);
    expect(rounds).toEqual([
      [0, 0],
      [100, 1],
      [300, 2],
      [700, 3],
    ]);
    wake();
    await settled();
    expect(rounds.at(-1)).toEqual([700, 4]);
    abort.abort();
    expect(await never).toBeUndefined();
    expect([forgotten, clock.waiting]).toEqual([5, 0]);
  });

  it('while-bus-is-away.A1 lets whoever waits go behind the step under way where that is to be finished', async () => {
    const abort = new AbortController();
    let finish: (value: string) => void = () => undefined;
    const step = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const waiting = { clock: new ManualClock(0), signal: abort.signal, finishes: true };
    const answer = retryWhileBusIsAway(waiting, () => step);
    abort.abort();
    finish('done');
    expect(await answer).toEqual({ value: 'done' });
  });

  it('while-bus-is-away.A2 waits for nothing that is no outage of the bus', async () => {
    const clock = new ManualClock(0);
    const { signal } = new AbortController();
    const fails = (error: Error) => retryWhileBusIsAway({ clock, signal }, () => Promise.reject(error));
    await expect(fails(new Outage('bus.no-responder', 'nobody'))).rejects.toThrow('nobody');
    await expect(fails(new Error('defect'))).rejects.toThrow('defect');
  });

  it('while-bus-is-away.A1 ends with its signal, also in the middle of a question and of a pause', async () => {
    const clock = new ManualClock(0);
    const abort = new AbortController();
    const inQuestion = retryWhileBusIsAway(
      { clock, signal: abort.signal },
      () => new Promise(() => undefined),
    );
    const inPause = retryWhileBusIsAway({ clock, signal: abort.signal }, () => Promise.reject(away()));
    const pausing = pause(clock, 1_000, abort.signal);
    await settled();
    expect(clock.waiting).toBe(2);
    abort.abort();
    expect(await Promise.all([inQuestion, inPause, pausing])).toEqual([undefined, undefined, undefined]);
    expect(clock.waiting).toBe(0);
    const asked: string[] = [];
    await retryWhileBusIsAway({ clock, signal: abort.signal }, async () => asked.push('once'));
    expect(asked).toEqual([]);
  });
});
