import { expect, it } from 'vitest';
import { Progress } from '../../../actors/alarm/progress.ts';

const at = (position: number) => ({ position, at: 0, stored: position });

it('alarm/progress.P1 the place rises in the order of the stream, in whatever order work ends', () => {
  const places: number[] = [];
  const progress = new Progress(at(0), () => places.push(progress.recorded.position));
  const [first, second] = [progress.take(at(1), 2), progress.take(at(2), 1)];
  progress.take(at(3), 0);
  second();
  first();
  expect(progress.recorded).toEqual(at(0));
  first();
  expect(progress.recorded).toEqual(at(3));
  progress.take(at(4), 0);
  expect(progress.recorded).toEqual(at(4));
  // The low-water mark rests until it is called.
  expect(places.at(-1)).toBe(4);
  expect(places).toContain(3);
});

it('alarm/progress.P2 messages that change nothing behind a change that is not recorded are one place, however many come', () => {
  const progress = new Progress(at(0), () => undefined);
  const first = progress.take(at(1), 1);
  for (let position = 2; position <= 1_000; position += 1) progress.take(at(position), 0);
  const second = progress.take(at(1_001), 1);
  for (let position = 1_002; position <= 2_000; position += 1) progress.take(at(position), 0);
  expect(progress.waiting).toBe(4);
  first();
  expect(progress.recorded).toEqual(at(1_000));
  second();
  expect([progress.recorded, progress.waiting]).toEqual([at(2_000), 0]);
});
