import { expect, it } from 'vitest';
import { EdgeQueue } from '../../../actors/alarm/edge-queue.ts';
import { Slots } from '../../../actors/alarm/slots.ts';
import { settled } from '../../support/manual-clock.ts';

function queueOf(slots: number | Slots, waiting: number) {
  const open: { key: string; edge: number; end: () => void; fail: (why: Error) => void }[] = [];
  const ended: string[] = [];
  const failures: unknown[] = [];
  const queue = new EdgeQueue<number>({
    slots: typeof slots === 'number' ? new Slots(slots) : slots,
    waiting,
    record: (key, edge) => new Promise((end, fail) => void open.push({ key, edge, end, fail })),
    failed: (error) => void failures.push(error),
  });
  const put = (key: string, edge: number): void =>
    queue.put(key, edge, () => void ended.push(`${key}${edge}`));
  const shown = (): string[] => open.map(({ key, edge }) => `${key}${edge}`);
  const end = async (): Promise<void> => {
    open.shift()!.end();
    await settled();
  };
  const fail = async (why: Error): Promise<void> => {
    open.shift()!.fail(why);
    await settled();
  };
  return { queue, put, shown, end, fail, ended, failures };
}

it('edge-queue.Q1 records changes of one alarm in order, one at a time, and those of others beside it', async () => {
  const { put, shown, end, ended } = queueOf(3, 10);
  for (const [key, edge] of [
    ['a', 1],
    ['a', 2],
    ['a', 3],
    ['b', 1],
  ] as const)
    put(key, edge);
  expect(shown()).toEqual(['a1', 'b1']);
  for (let n = 0; n < 4; n += 1) await end();
  expect(ended).toEqual(['a1', 'b1', 'a2', 'a3']);
});

it('edge-queue.Q2 never has more under way than said, and no alarm keeps the rest waiting', async () => {
  const { put, shown, end, ended } = queueOf(1, 10);
  for (const [key, edge] of [
    ['a', 1],
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ] as const)
    put(key, edge);
  for (let n = 0; n < 4; n += 1) {
    expect(shown()).toHaveLength(1);
    await end();
  }
  expect(ended).toEqual(['a1', 'b1', 'c1', 'a2']);
});

it('slots.U1 U2 shares the slots with other queues, and none keeps another waiting', async () => {
  const slots = new Slots(2);
  const [one, other] = [queueOf(slots, 10), queueOf(slots, 10)];
  for (const key of ['a', 'b', 'c', 'd']) one.put(key, 1);
  for (const key of ['x', 'y']) other.put(key, 1);
  expect([one.shown(), other.shown()]).toEqual([['a1', 'b1'], []]);
  await one.end();
  expect([one.shown(), other.shown()]).toEqual([['b1', 'c1'], []]);
  await one.end();
  expect([one.shown(), other.shown()]).toEqual([['c1'], ['x1']]);
  await other.end();
  expect([one.shown(), other.shown()]).toEqual([['c1', 'd1'], []]);
  await one.end();
  await one.end();
  expect([one.shown(), other.shown()]).toEqual([[], ['y1']]);
});

it('slots.U2 stopped, leaves its slots to others', async () => {
  const slots = new Slots(1);
  const [one, other, third] = [queueOf(slots, 10), queueOf(slots, 10), queueOf(slots, 10)];
  one.put('a', 1);
  other.put('b', 1);
  third.put('c', 1);
  void other.queue.stop();
  void one.queue.stop();
  await one.end();
  expect([other.shown(), third.shown()]).toEqual([[], ['c1']]);
});

it('has no room while too many wait', async () => {
  const { queue, put, end } = queueOf(2, 2);
  put('a', 1);
  expect(queue.room()).toBeUndefined();
  put('b', 1);
  let made = false;
  void queue.room()?.then(() => {
    made = true;
  });
  await settled();
  expect(made).toBe(false);
  await end();
  expect(made).toBe(true);
});

it('stopped, begins nothing more and waits for what was begun', async () => {
  const { queue, put, shown, end, ended } = queueOf(1, 10);
  put('a', 1);
  put('b', 1);
  const stopped = queue.stop();
  await end();
  await stopped;
  expect(shown()).toEqual([]);
  // Whoever leads next finds its place before it, and that it is recorded.
  expect(ended).toEqual([]);
});

it('says what is not recorded yet', async () => {
  const { queue, put, end } = queueOf(1, 10);
  expect([queue.size, queue.keys]).toEqual([0, []]);
  put('a', 1);
  put('a', 2);
  put('b', 1);
  expect([queue.size, queue.keys]).toEqual([3, ['a', 'b']]);
  await end();
  expect([queue.size, queue.keys]).toEqual([2, ['a', 'b']]);
  await end();
  await end();
  expect([queue.size, queue.keys]).toEqual([0, []]);
});

it('there is room again once fewer wait than are too many, and not before', async () => {
  const { queue, put, end } = queueOf(1, 2);
  for (const edge of [1, 2, 3]) put('a', edge);
  let made = 0;
  for (let n = 0; n < 2; n += 1) void queue.room()!.then(() => (made += 1));
  await end();
  expect([queue.size, made]).toEqual([2, 0]);
  await end();
  expect([queue.size, made, queue.room()]).toEqual([1, 2, undefined]);
});

it('stopped, keeps nobody waiting for room', async () => {
  const { queue, put, end } = queueOf(1, 1);
  put('a', 1);
  const room = queue.room();
  const stopped = queue.stop();
  await room;
  expect(queue.room()).toBeUndefined();
  let isStopped = false;
  void stopped.then(() => (isStopped = true));
  await settled();
  expect(isStopped).toBe(false);
  await end();
  await stopped;
});

it('a change that is not recorded is said with its error, is not done, and gives its slot back', async () => {
  const { queue, put, shown, fail, end, ended, failures } = queueOf(1, 10);
  put('a', 1);
  put('a', 2);
  put('b', 1);
  const error = new Error('no leader');
  await fail(error);
  expect([failures, ended, shown()]).toEqual([[error], [], ['b1']]);
  await end();
  // The next of the same alarm would stand in its place: whoever leads next reports both again.
  expect([ended, shown(), queue.keys]).toEqual([['b1'], [], ['a']]);
});
