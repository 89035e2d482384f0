/** What owners before have published of the decoded samples, as the next one knows it. */

import { describe, expect, it } from 'vitest';
import { VALUE_TAIL } from '../../contract/limits/value.ts';
import { PublishedTail } from '../../telemetry/published-tail.ts';

function tailOf(...decoded: number[]): PublishedTail {
  const tail = new PublishedTail();
  for (const each of decoded) tail.note(each);
  return tail;
}

describe('the tail of what is published', () => {
  it('published-tail.U2 misses what stands between the last ones, and nothing before them', () => {
    const tail = tailOf(1, 2, 4);
    expect([1, 2, 3, 4, 5].map((each) => tail.has(each))).toEqual([true, true, false, true, false]);
    const long = tailOf(...Array.from({ length: VALUE_TAIL + 10 }, (_, n) => n + 100));
    expect([long.has(7), long.has(100), long.has(VALUE_TAIL + 110)]).toEqual([true, true, false]);
  });

  it('published-tail.U3 knows nothing by a message that does not say what it was made from', () => {
    const tail = tailOf(3, Number.NaN, 0, -1, 1.5, Number.POSITIVE_INFINITY);
    expect(tail.last).toBe(3);
    expect([1, 2, 3, 4].map((each) => tail.has(each))).toEqual([false, false, true, false]);
  });
});
