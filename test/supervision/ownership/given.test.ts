/** Partitions that are given to another member (given.V1, V2). */

import { describe, expect, it } from 'vitest';
import { PARTITION_TAKEN_MS, PARTITIONS_GIVEN } from '../../../contract/limits/membership.ts';
import { Given } from '../../../supervision/ownership/given.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const names = Array.from({ length: PARTITIONS_GIVEN }, (_, n) => `p${n}`);

function full() {
  const clock = new ManualClock(0);
  const again: string[] = [];
  const given = new Given(clock, (name) => again.push(name));
  for (const name of names) expect(given.begin(name)).toBe(true);
  return { clock, again, given };
}

describe('what is given', () => {
  it('given.V1 is so much at once, and the next one when another one is taken', () => {
    const { given, again } = full();
    expect([given.begin('x'), given.begin('y')]).toEqual([false, false]);
    given.over('p0');
    expect(again).toEqual(['x']);
    expect(given.begin('x')).toBe(true);
    expect(given.begin('z')).toBe(false);
    given.over('p1');
    given.over('p2');
    expect(again).toEqual(['x', 'y', 'z']);
  });

  it('given.V1 one that nobody takes keeps its place for a while behind its release, and no longer', () => {
    const { clock, given, again } = full();
    given.begin('x');
    clock.advance(10 * PARTITION_TAKEN_MS);
    expect(again, 'its worker is still being stopped').toEqual([]);
    given.released('p0');
    clock.advance(PARTITION_TAKEN_MS - 1);
    expect(again).toEqual([]);
    clock.advance(1);
    expect(again).toEqual(['x']);
  });

  it('given.V2 names as many as there is room for, where those that were named have nothing to give any more', () => {
    const { given, again } = full();
    for (const name of ['x', 'y']) given.begin(name);
    given.over('p0');
    // x is this member's again, and is not begun.
    given.over('p1');
    expect(again).toEqual(['x', 'y']);
  });

  it('counts one that is given again once, and leaves no timer behind', () => {
    const { clock, given, again } = full();
    given.released('p0');
    expect(given.begin('p0')).toBe(true);
    expect(clock.waiting).toBe(0);
    given.begin('x');
    given.released('p0');
    given.released('p1');
    given.over('p1');
    expect([again, clock.waiting]).toEqual([['x'], 1]);
    given.stop();
    expect(clock.waiting).toBe(0);
    given.over('p0');
    given.released('unknown');
    expect([again, clock.waiting]).toEqual([['x'], 0]);
  });
});
