/** Making a failing scenario small, with a judge at hand instead of the world. */

import { expect, it } from 'vitest';
import { type Scenario, scenarioOf } from './scenario.ts';
import { shrink } from './shrink.ts';

it('leaves what the failure needs, and looks at each item that is left once more before it ends', async () => {
  const whole = scenarioOf(3, 'telecommands');
  const [needed, straggler] = [whole.submissions[2], whole.stragglers?.[1]];
  expect(straggler).toBeDefined();
  let runs = 0;
  const small = await shrink(whole, async ({ submissions, stragglers = [] }) => {
    runs += 1;
    return submissions.some(({ at }) => at === needed?.at) && stragglers.includes(straggler!);
  });
  const left: Pick<Scenario, 'faults' | 'launches' | 'submissions' | 'stragglers'> = small;
  expect([left.faults, left.launches]).toEqual([[], []]);
  expect([left.submissions.length, left.stragglers]).toEqual([1, [straggler]]);
  const items = whole.faults.length + whole.submissions.length + (whole.stragglers?.length ?? 0);
  expect(runs).toBeLessThan(4 * items);
});
