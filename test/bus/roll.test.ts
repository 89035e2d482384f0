/** roll.L1 and L2: when a replay of last values has told every key. */

import { describe, expect, it } from 'vitest';
import type { Position } from '../../bus/message.ts';
import { Roll } from '../../bus/roll.ts';

const HEAD = 100;
const at = (seq: number): Position => ({ seq }) as Position;

describe('the keys of a replay', () => {
  it('roll.L2 are complete once each has come as it stood before', () => {
    const roll = new Roll(2, HEAD);
    roll.tell('a', at(99));
    expect(roll.complete).toBe(false);
    roll.tell('b', at(HEAD));
    expect(roll.complete).toBe(true);
  });

  it('roll.L2 count once where the server delivers one of them twice', () => {
    const roll = new Roll(2, HEAD);
    roll.tell('a', at(98));
    roll.tell('a', at(99));
    roll.tell('a', at(99));
    expect(roll.complete).toBe(false);
    roll.tell('b', at(HEAD));
    expect(roll.complete).toBe(true);
  });

  it('roll.L1 are those of the stream where one was replaced meanwhile', () => {
    const roll = new Roll(3, HEAD);
    roll.tell('a', at(99));
    roll.tell('b', at(HEAD + 1));
    expect(roll.complete).toBe(false);
    roll.call(['a', 'b', 'c']);
    expect(roll.complete).toBe(false);
    roll.tell('c', at(HEAD + 2));
    expect(roll.complete).toBe(true);
  });

  it('roll.L1 forgive one that is gone', () => {
    const roll = new Roll(2, HEAD);
    roll.tell('a', at(99));
    roll.call(['a', 'b']);
    expect(roll.complete).toBe(false);
    roll.call(['a']);
    expect(roll.complete).toBe(true);
  });
});
