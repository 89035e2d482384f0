/** The time of a process that is kept from the processor stands still; that of one that waits goes on. */

import { expect, it } from 'vitest';
import { ownTime } from './own-time.ts';
import { until } from './until.ts';

it('goes on while it is waited, and not while the process does nothing but work', async () => {
  const idle = ownTime();
  const busy = ownTime();
  const end = performance.now() + 300;
  while (performance.now() < end) Math.hypot(3, 4);
  expect(busy()).toBe(0);
  let turns = 0;
  const each = setInterval(() => {
    turns += 1;
  }, 20);
  await until(() => turns >= 10);
  clearInterval(each);
  expect(idle()).toBeGreaterThan(50);
});
