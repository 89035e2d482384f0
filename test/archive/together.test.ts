/** Messages that cannot be written together though each of them can: nobody is at fault, and nothing is held up. */

import { expect, it } from 'vitest';
import { Archive, type ArchiveOptions } from '../../archive/archive.ts';
import { type Workshop, workHere } from '../../archive/workshop.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, messageOf, PLATFORM } from './values.ts';

const QUERY = {
  target: 'sat1',
  measures: ['power.u8'],
  from: HOUR - 1_000,
  to: HOUR + 86_400_000,
  delivery: 'all',
} as const;

/** Threads that make no segment of more than so many messages. */
function atMost(most: number, disk: FragileDisk): Workshop {
  const whole = workHere('', disk);
  let gathered = 0;
  return Object.assign({}, whole, {
    do: async (...call: Parameters<Workshop['do']>) => {
      const [name, given] = call;
      if (name === 'begin') gathered = 0;
      if (name === 'add') gathered += 1;
      if (name === 'seal' && gathered > most) throw new Error('that is too much');
      if (name === 'seal') gathered = 0;
      if (name === 'probe') return (given as unknown[]).length > most ? { reason: 'that is too much' } : {};
      return (whole.do as (...all: unknown[]) => unknown)(...call);
    },
  });
}

it('archive/intake.I2 what fails together and not alone is written in smaller parts, with its gaps, and none is left out', async () => {
  const disk = new FragileDisk();
  const clock = new ManualClock(HOUR);
  const left: unknown[] = [];
  const options: ArchiveOptions = { stream: 'S1', clock, setAside: (message) => void left.push(message) };
  const archive = await Archive.open(atMost(3, disk), options);
  const at = (position: number): number => HOUR + position * 1_000;
  const give = async (position: number): Promise<void> => {
    const rows = [{ ground: at(position), cells: [position] }];
    const message = messageOf(position, [blockOf([2], rows)], { storedMs: at(position) });
    await archive.append(message, PLATFORM);
  };
  for (const position of [1, 2, 3, 5, 6, 7, 8]) await give(position);
  await archive.skip(9, at(9));
  for (const position of [10, 11]) await give(position);
  expect(await archive.flush()).toBe(false);
  // One more comes while it is being written in parts.
  await give(12);
  for (let turn = 0; turn < 20; turn += 1) {
    clock.advance(1);
    await settled();
  }
  expect([archive.position, archive.trouble]).toEqual([12, undefined]);
  expect(left).toEqual([]);
  const again = await Archive.open(workHere('', disk), { stream: 'S1', clock });
  expect(again.readFrom).toBe(13);
  const { samples, gaps } = await again.samples(QUERY, { limit: 100 });
  expect(samples.map(({ value }) => value)).toEqual([1, 2, 3, 5, 6, 7, 8, 10, 11, 12]);
  expect(gaps).toEqual([
    { first: 4, last: 4, from: at(3), to: at(5) },
    { first: 9, last: 9, from: at(9), to: at(9) },
  ]);
});
