/** replayed-keys.L1 and L2: when a replay of last values has reported every key. */

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
    const keys = new ReplayedKeys(2, HEAD);
    keys.delivered('a', at(98));
    keys.delivered('a', at(99));
    keys.delivered('a', at(99));
    expect(keys.complete).toBe(false);
    keys.delivered('b', at(HEAD));
    expect(keys.complete).toBe(true);
  });

  it('replayed-keys.L1 are those of the stream where one was replaced meanwhile', () => {
    const keys = new ReplayedKeys(3, HEAD);
    keys.delivered('a', at(99));
    keys.delivered('b', at(HEAD + 1));
    expect(keys.complete).toBe(false);
    keys.expectOnly(['a', 'b', 'c']);
    expect(keys.complete).toBe(false);
    keys.delivered('c', at(HEAD + 2));
    expect(keys.complete).toBe(true);
  });

  it('replayed-keys.L1 forgive one that is gone', () => {
    const keys = new ReplayedKeys(2, HEAD);
    keys.delivered('a', at(99));
    keys.expectOnly(['a', 'b']);
    expect(keys.complete).toBe(false);
    keys.expectOnly(['a']);
    expect(keys.complete).toBe(true);
  });
});
