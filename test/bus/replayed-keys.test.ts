/** replayed-keys.L1 and L2: when a replay of last values has told every key. */

import { describe, expect, it } from 'vitest';
import type { Position } from '../../bus/message.ts';
import { ReplayedKeys } from '../../bus/replayed-keys.ts';

const HEAD = 100;
const at = (seq: number): Position => ({ seq }) as Position;

describe('the keys of a replay', () => {
  it('replayed-keys.L2 are complete once each has come as it stood before', () => {
    const replayed = new ReplayedKeys(2, HEAD);
    replayed.delivered('a', at(99));
    expect(replayed.complete).toBe(false);
    replayed.delivered('b', at(HEAD));
    expect(replayed.complete).toBe(true);
  });

  it('replayed-keys.L2 count once where the server delivers one of them twice', () => {
    const roll = new ReplayedKeys(2, HEAD);
    roll.delivered('a', at(98));
    roll.delivered('a', at(99));
    roll.delivered('a', at(99));
    expect(roll.complete).toBe(false);
    roll.delivered('b', at(HEAD));
    expect(roll.complete).toBe(true);
  });

  it('replayed-keys.L1 are those of the stream where one was replaced meanwhile', () => {
    const roll = new ReplayedKeys(3, HEAD);
    roll.delivered('a', at(99));
    roll.delivered('b', at(HEAD + 1));
    expect(roll.complete).toBe(false);
    roll.call(['a', 'b', 'c']);
    expect(roll.complete).toBe(false);
    roll.delivered('c', at(HEAD + 2));
    expect(roll.complete).toBe(true);
  });

  it('replayed-keys.L1 forgive one that is gone', () => {
    const roll = new ReplayedKeys(2, HEAD);
    roll.delivered('a', at(99));
    roll.call(['a', 'b']);
    expect(roll.complete).toBe(false);
    roll.call(['a']);
    expect(roll.complete).toBe(true);
  });
});
