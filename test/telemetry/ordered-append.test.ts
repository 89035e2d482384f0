import { describe, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS } from '../../contract/limits/bus.ts';
import { VALUE_APPEND_LATE_MS } from '../../contract/limits/value.ts';
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
}

/** Appends on a bus whose every answer is the test's. */
function appends() {
  const clock = new ManualClock(0);
  const calls: Call[] = [];
  const stored: string[] = [];
  const bus = {
    connected: true,
    onConnection: () => () => undefined,
    append: (_stream: unknown, _to: string, bytes: Uint8Array, { id = '', once = false }: AppendOptions) =>
      new Promise<Appended>((resolve, reject) => {
        const data = Buffer.from(bytes).toString();
        calls.push({
          id,
          once,
          data,
          answer: resolve,
          lose: () => reject(new Outage('bus.unavailable', 'lost')),
        });
      }),
  } as unknown as Bus;
  const owner = { holds: true };
  const holds = (): boolean => owner.holds;
  const queue = new OrderedAppend({ bus, stream: streams.values, clock, log: keptLog(), holds });
  const push = (id: string): void => {
    void queue.push({
      subject: 'mcs.tm.value.sat1',
      data: Buffer.from(id),
      id,
      headers: {},
      behind: (passed) => Buffer.from(`${id} behind ${passed.map((each) => each.id)}`),
      stored: () => void stored.push(id),
    });
  };
  const ids = (): string[] => calls.map(({ id }) => id);
  return { clock, calls, stored, push, ids, owner, queue };
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
