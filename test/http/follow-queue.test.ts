import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConflatingQueue, type FollowQueue, LogQueue, NewestQueue } from '../../http/follow-queue.ts';

function drain(queue: FollowQueue): string[] {
  const messages: string[] = [];
  for (let message = queue.shift(); message !== undefined; message = queue.shift())
    messages.push(String(message));
  return messages;
}

const keyed = fc.array(fc.record({ key: fc.nat(4), text: fc.string({ minLength: 1 }) }));

describe('a log queue', () => {
  it('follow-queue.Q1 gives back exactly what was put in, in order, also after falling behind', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constant(undefined))), (steps) => {
        const queue = new LogQueue();
        const put: string[] = [];
        const got: string[] = [];
        for (const step of steps) {
          if (step === undefined) {
            queue.fallBehind();
            const message = queue.shift();
            if (message !== undefined) got.push(String(message));
          } else {
            queue.push(step);
            put.push(step);
          }
        }
        expect([...got, ...drain(queue)]).toEqual(put);
        expect(queue.size).toBe(0);
      }),
    );
  });
});

describe('a conflating queue', () => {
  it('follow-queue.Q2 gives everything in order while the client keeps up', () => {
    fc.assert(
      fc.property(keyed, (items) => {
        const queue = new ConflatingQueue(() => {
          throw new Error('conflated');
        });
        for (const { key, text } of items) queue.push(text, key);
        expect(drain(queue)).toEqual(items.map(({ text }) => text));
        expect(queue.size).toBe(0);
      }),
    );
  });

  it('follow-queue.Q2 holds the newest of each key, and counts the others, once the client is behind', () => {
    fc.assert(
      fc.property(keyed, keyed, (before, after) => {
        let conflated = 0;
        const queue = new ConflatingQueue(() => {
          conflated += 1;
        });
        for (const { key, text } of before) queue.push(text, key);
        queue.fallBehind();
        for (const { key, text } of after) queue.push(text, key);
        const newest = new Map([...before, ...after].map(({ key, text }) => [key, text]));
        expect(queue.size).toBe([...newest.values()].join('').length);
        expect(drain(queue).sort()).toEqual([...newest.values()].sort());
        expect(conflated).toBe(before.length + after.length - newest.size);
        expect(queue.size).toBe(0);
      }),
    );
  });

  it('follow-queue.Q2 loses nothing where its follower falls behind once more', () => {
    const queue = new ConflatingQueue(() => {});
    for (const [text, key] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      queue.push(text, key);
    for (let times = 0; times < 2; times += 1) queue.fallBehind();
    expect(queue.size).toBe(2);
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  it('follow-queue.Q2 keeps every message again after it was empty', () => {
    const queue = new ConflatingQueue(() => {});
    queue.push('a', 1);
    queue.fallBehind();
    drain(queue);
    queue.push('b', 1);
    queue.push('c', 1);
    expect(drain(queue)).toEqual(['b', 'c']);
  });
});

describe('NewestQueue', () => {
  it('follow-queue.Q3 holds the newest alone, marked with how many were left out since the first', () => {
    let conflated = 0;
    const queue = new NewestQueue(
      () => {
        conflated += 1;
      },
      (message, missed) => Uint8Array.of(...message, missed),
    );
    expect(queue.shift()).toBeUndefined();
    for (const each of [1, 2, 3]) queue.push(Uint8Array.of(each, each));
    expect(queue.size).toBe(2);
    expect(queue.shift()).toEqual(Uint8Array.of(3, 3, 2));
    expect([queue.shift(), queue.size]).toEqual([undefined, 0]);
    queue.push(Uint8Array.of(4));
    expect(queue.shift()).toEqual(Uint8Array.of(4, 2));
    expect(conflated).toBe(2);
  });
});
