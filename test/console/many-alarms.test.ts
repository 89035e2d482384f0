/** The page of alarms with thousands of them: what it costs does not depend on how many are chosen. */

import { expect, it } from 'vitest';
import { launch, openPage } from './browser.ts';
import { startOperatorCell } from './operator-page.ts';
import { watchWork } from './page-work.ts';

const ALARMS = 5_000;
/** Every third is critical. */
const manyAlarms = (): object => ({
  alarms: Array.from({ length: ALARMS }, (_, n) => ({
    target: 'sat1',
    component: 'big',
    alarm: `a${n}`,
    record: {
      state: 'ACTIVE_UNACK',
      severity: n % 3 === 0 ? 'critical' : 'warning',
      seq: 1,
      changed_at: '2026-03-01T12:00:00.000Z',
    },
  })),
});

it('five thousand alarms cost the page no more when all of them are chosen', async () => {
  const [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
  try {
    const { page } = await openPage(browser, cell.mcs.api);
    await page.route('**/v1/alarms', (route) => route.fulfill({ json: manyAlarms() }));
    await page.goto(`${cell.mcs.api}/#/alarms?target=sat1`);
    await page.locator('p[role=status]', { hasText: /^5\d\d\d alarms; the first 500 are shown/ }).waitFor();
    const work = await watchWork(page, 'header', 'a');
    const load = async (): Promise<number> => {
      await work();
      await page.waitForFunction(
        ([began, forMs]) => performance.now() - began! > forMs!,
        [await page.evaluate<number>('performance.now()'), 2_000],
      );
      const { cpuSeconds, seconds } = await work();
      return cpuSeconds / seconds;
    };
    const before = await load();
    await page.getByLabel('all', { exact: true }).check();
    await page.getByRole('button', { name: /^Acknowledge 5\d\d\d/ }).waitFor();
    expect(await load()).toBeLessThan(2 * before);
  } finally {
    await browser.close();
    await cell.stop();
  }
}, 60_000);
