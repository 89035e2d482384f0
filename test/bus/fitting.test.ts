/** Which sizes are tried, against servers that refuse. */

import { expect, it } from 'vitest';
import { ApiError } from '../../bus/fault.ts';
import { Fitting } from '../../bus/fitting.ts';
import { quiet } from '../support/nats.ts';

const GB = 10 ** 9;

function world(refuses: (bytes: number, copies: number) => number | undefined) {
  const sizes = new Map<string, number>();
  const shrink = async ({ name, max_bytes = 0 }: { name: string; max_bytes?: number }) =>
    void sizes.set(name, Math.min(max_bytes, sizes.get(name) ?? max_bytes));
  const fitting = new Fitting(quiet, shrink);
  const make = async (name: string, bytes: number, { copies = 1, isStated = false } = {}) => {
    fitting.sized(name, 1, isStated);
    await fitting.made({ name, max_bytes: bytes, num_replicas: copies }, async (config) => {
      const others = [...sizes].filter(([other]) => other !== name).reduce((sum, [, size]) => sum + size, 0);
      const number = refuses(others + (config.max_bytes ?? 0), copies);
      if (number !== undefined) throw new ApiError(500, number, 'no room');
      sizes.set(name, config.max_bytes ?? 0);
    });
  };
  return { make, sizes };
}

it('fitting.Z1 Z4 what is as declared is made smaller alike, before what is stated', async () => {
  const { make, sizes } = world((bytes) => (bytes > 8 * GB ? 10_047 : undefined));
  await make('a', 6 * GB);
  await make('b', 6 * GB);
  expect([...sizes.values()]).toEqual([3 * GB, 3 * GB]);
  await make('stated', 5 * GB, { isStated: true });
  expect([...sizes.values()]).toEqual([1.5 * GB, 1.5 * GB, 5 * GB]);
});

it('fitting.Z2 what is refused at any size is refused as it was first, and nothing later is smaller for it', async () => {
  let isFull = true;
  const { make, sizes } = world(() => (isFull ? 10_047 : undefined));
  await expect(make('a', GB)).rejects.toThrow('no room');
  isFull = false;
  await make('b', GB);
  expect([...sizes]).toEqual([['b', GB]]);
});

it('fitting.Z5 a cluster with too few servers makes nothing smaller; one with too little room does', async () => {
  const few = world((_bytes, copies) => (copies > 1 ? 10_005 : undefined));
  await few.make('a', GB);
  await expect(few.make('b', GB, { copies: 3 })).rejects.toThrow('no room');
  await few.make('b', GB);
  expect([...few.sizes.values()]).toEqual([GB, GB]);
  const small = world((bytes) => (bytes > GB ? 10_005 : undefined));
  await small.make('a', 2 * GB, { copies: 3 });
  await small.make('b', 2 * GB, { copies: 3 });
  expect(small.sizes.get('a')).toBe(small.sizes.get('b'));
});
