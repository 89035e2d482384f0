import { describe, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS } from '../../contract/limits/bus.ts';
import { VALUE_APPEND_LATE_MS, VALUE_APPENDS } from '../../contract/limits/value.ts';
import { Outage } from '../../contract/outage.ts';
import type { Appended, AppendOptions, Bus } from '../../ports/bus.ts';
import { OrderedAppend } from '../../telemetry/ordered-append.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { keptLog } from '../support/silent-log.ts';

interface Call {
  readonly id: string;
  readonly once: boolean;
  readonly data: string;
  answer(outcome: Appended): void;
  lose(): void;
  refuse(): void;
}

/** Appends on a bus whose every answer is the test's. */
function appends() {
  const clock = new ManualClock(0);
  const calls: Call[] = [];
  const stored: string[] = [];
  const refused: string[] = [];
  let notify: (connected: boolean) => void = () => undefined;
  const state = { connected: true };
  const connect = (connected: boolean): void => {
    state.connected = connected;
    notify(connected);
  };
  const bus = {
    get connected() {
      return state.connected;
    },
    onConnection: (listener: typeof notify) => {
      notify = listener;
      return () => undefined;
    },
    append: (_stream: unknown, _to: string, bytes: Uint8Array, { id = '', once = false }: AppendOptions) =>
      new Promise<Appended>((resolve, reject) => {
        const data = Buffer.from(bytes).toString();
        const lose = (): void => reject(new Outage('bus.unavailable', 'lost'));
        const refuse = (): void => reject(new Error('too large'));
        calls.push({
          id,
          once,
          data,
          answer: resolve,
          lose,
          refuse,
        });
      }),
  } as unknown as Bus;
  const owner = { holds: true };
  const holds = (): boolean => owner.holds;
  const queue = new OrderedAppend({ bus, stream: streams.values, clock, log: keptLog(), holds });
  const push = (id: string): Promise<void> | undefined => {
    return queue.push({
      subject: 'mcs.tm.value.sat1',
      data: Buffer.from(id),
      id,
      headers: {},
      behind: (passed) => Buffer.from(`${id} behind ${passed.map((each) => each.id)}`),
      stored: (seq) => void stored.push(`${id}${typeof seq === 'number' ? '' : ' nowhere'}`),
      refused: () => void refused.push(id),
    });
  };
  const ids = (): string[] => calls.map(({ id }) => id);
  return { clock, calls, stored, refused, push, ids, owner, queue, connect };
}

describe('appends in order', () => {
  it('are many under way, and reported in the order they were pushed', async () => {
    const { clock, calls, stored, push, ids } = appends();
    for (const id of ['a', 'b', 'c']) push(id);
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(calls.every(({ once }) => once)).toBe(true);
    for (const [at, call] of [...calls.entries()].reverse()) call.answer({ outcome: 'stored', seq: at + 1 });
    await clock.run(1, 1);
    expect(stored).toEqual(['a', 'b', 'c']);
  });

  it('ordered-append.Q4 none is sent behind one that has no answer for long, and then it comes first', async () => {
    const { clock, calls, stored, push, ids } = appends();
    push('a');
    await clock.run(VALUE_APPEND_LATE_MS + 1, 1);
    push('b');
    expect(ids()).toEqual(['a']);
    calls[0]!.lose();
    await clock.run(BUS_ATTEMPT_MS, 10);
    expect(ids()).toEqual(['a', 'a', 'b']);
    calls[2]!.answer({ outcome: 'stored', seq: 2 });
    calls[1]!.answer({ outcome: 'stored', seq: 1 });
    await clock.run(1, 1);
    expect(stored).toEqual(['a', 'b']);
  });

  it('ordered-append.Q6 one that others have passed is sent as what it is behind them, and only then', async () => {
    const { clock, calls, stored, push, ids } = appends();
    for (const id of ['a', 'b', 'c', 'd']) push(id);
    calls[0]!.lose();
    calls[1]!.answer({ outcome: 'stored', seq: 1 });
    calls[2]!.lose();
    calls[3]!.answer({ outcome: 'stored', seq: 2 });
    await clock.run(1, 1);
    push('e');
    await clock.run(BUS_ATTEMPT_MS, 10);
    expect(ids()).toEqual(['a', 'b', 'c', 'd', 'a', 'c', 'e']);
    expect(calls.map(({ data }) => data)).toEqual(['a', 'b', 'c', 'd', 'a behind b,d', 'c behind d', 'e']);
    for (const seq of [3, 4, 5]) calls[seq + 1]!.answer({ outcome: 'stored', seq });
    await clock.run(1, 1);
    expect(stored).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('ordered-append.Q3 what is left out is not reported as stored, and holds up nothing behind it', async () => {
    const { clock, calls, stored, refused, push } = appends();
    for (const id of ['a', 'b', 'c']) void push(id);
    calls[2]!.answer({ outcome: 'stored', seq: 1 });
    calls[0]!.answer({ outcome: 'conflict' });
    await clock.run(1, 1);
    expect([stored, refused]).toEqual([[], ['a']]);
    calls[1]!.refuse();
    await clock.run(1, 1);
    expect([stored, refused]).toEqual([['c'], ['a']]);
    await clock.run(2 * BUS_ATTEMPT_MS, 10);
    expect(calls).toHaveLength(3);
  });

  it('ordered-append.Q1 behind a loss of the connection waits for what is open, and then sends at once when it is back', async () => {
    const { clock, calls, push, ids, connect } = appends();
    push('a');
    connect(false);
    push('b');
    calls[0]!.lose();
    await clock.run(2 * BUS_ATTEMPT_MS, 10);
    expect(ids()).toEqual(['a']);
    connect(true);
    await clock.run(1, 1);
    expect(ids()).toEqual(['a', 'a', 'b']);
  });

  it('ordered-append.Q1 goes on where nothing was under way when the connection was lost', async () => {
    const { clock, calls, push, ids, connect } = appends();
    push('a');
    calls[0]!.answer({ outcome: 'stored', seq: 1 });
    await clock.run(1, 1);
    connect(false);
    connect(true);
    push('b');
    expect(ids()).toEqual(['a', 'b']);
  });

  it('has room again when fewer than the most are under way, and is drained when none is', async () => {
    const { clock, calls, push, queue } = appends();
    const over: string[] = [];
    for (let n = 1; n < VALUE_APPENDS; n += 1) expect(push(`${n}`)).toBeUndefined();
    void push('last')!.then(() => over.push('room'));
    void push('one more')!.then(() => over.push('more room'));
    void queue.drained().then(() => over.push('drained'));
    const answer = async (from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n += 1) calls[n]!.answer({ outcome: 'stored', seq: n + 1 });
      await clock.run(1, 1);
    };
    await answer(0, 1);
    expect([over, queue.idle]).toEqual([[], false]);
    await answer(1, 2);
    expect([over, queue.idle]).toEqual([['room', 'more room'], false]);
    await answer(2, VALUE_APPENDS + 1);
    expect([over, queue.idle]).toEqual([['room', 'more room', 'drained'], true]);
  });

  it('ends when what was sent has settled, and sends nothing more', async () => {
    const { clock, calls, push, ids, queue } = appends();
    push('a');
    push('b');
    let isOver = false;
    const stopped = queue.stop().then(() => {
      isOver = true;
    });
    calls[0]!.lose();
    await clock.run(2 * BUS_ATTEMPT_MS, 10);
    expect([isOver, ids()]).toEqual([false, ['a', 'b']]);
    calls[1]!.answer({ outcome: 'stored', seq: 1 });
    await stopped;
    await clock.run(2 * BUS_ATTEMPT_MS, 10);
    expect(ids()).toEqual(['a', 'b']);
  });

  it('ordered-append.Q4 goes on as soon as the late answer has come', async () => {
    const { clock, calls, push, ids } = appends();
    push('a');
    await clock.run(VALUE_APPEND_LATE_MS + 1, 1);
    push('b');
    calls[0]!.answer({ outcome: 'stored', seq: 1 });
    await clock.run(1, 1);
    expect(ids()).toEqual(['a', 'b']);
  });

  it('ordered-append.Q5 nothing is sent, nor sent again, by one that may not be the owner any more', async () => {
    const { clock, calls, push, ids, owner, queue } = appends();
    push('a');
    owner.holds = false;
    push('b');
    // Its answer was lost while it slept.
    calls[0]!.lose();
    await clock.run(10 * BUS_ATTEMPT_MS, 100);
    expect(ids()).toEqual(['a']);
    // It is the owner after all: everything is sent, in order.
    owner.holds = true;
    await clock.run(BUS_ATTEMPT_MS, 10);
    expect(ids()).toEqual(['a', 'a', 'b']);
    owner.holds = false;
    push('c');
    for (const [at, call] of calls.slice(1).entries()) call.answer({ outcome: 'stored', seq: at + 1 });
    await queue.stop();
    expect([ids(), clock.waiting]).toEqual([['a', 'a', 'b'], 0]);
  });
});
