import { describe, expect, it } from 'vitest';
import { mappedInSlices, sortedInSlices } from '../../messaging/in-slices.ts';
import { seededRandom } from '../../ports/seeded-random.ts';

const COUNTS = [0, 1, 499, 500, 501, 1_000, 1_500, 2_501, 20_000];

/** What the work comes to, and how often another one had its turn meanwhile. */
async function beside<Value>(work: () => Promise<Value>): Promise<{ value: Value; turns: number }> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  const value = await work();
  isOver = true;
  return { value, turns };
}

describe('work in slices', () => {
  it.each(COUNTS)('makes of %d things what it makes of them at once, in their order', async (count) => {
    const items = Array.from({ length: count }, (_, n) => n);
    const work = (n: number): string | undefined => (n % 3 === 0 ? undefined : `${n}`);
    const { value, turns } = await beside(() => mappedInSlices(items, work));
    expect(value).toEqual(items.flatMap((n) => work(n) ?? []));
    expect(turns).toBeGreaterThanOrEqual(Math.ceil(count / 500) - 1);
  });

  it.each(COUNTS)(
    'sorts %d things as sorting them at once does, also those that compare equal',
    async (count) => {
      const random = seededRandom(count);
      const items = Array.from({ length: count }, (_, at) => ({
        at,
        key: Math.floor(random.next() * (count / 4)),
      }));
      const compare = (one: { key: number }, other: { key: number }): number => one.key - other.key;
      const before = [...items];
      const { value, turns } = await beside(() => sortedInSlices(items, compare));
      expect(value).toEqual([...items].sort(compare));
      expect(items).toEqual(before);
      expect(turns).toBeGreaterThanOrEqual(Math.ceil(count / 500) - 1);
    },
  );

  it('fails as the work does', async () => {
    const work = (n: number): number => {
      if (n === 700) throw new Error('seven hundred');
      return n;
    };
    await expect(
      mappedInSlices(
        Array.from({ length: 900 }, (_, n) => n),
        work,
      ),
    ).rejects.toThrow('seven hundred');
  });
});
