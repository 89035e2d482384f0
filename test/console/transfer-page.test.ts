/** A transfer on the page `/inspect` in a real browser: which bytes are there, from its record, and as they come. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTransferWorld, type TransferWorld } from '../http/transfer-world.ts';
import { call } from '../support/client.ts';
import { startDemoCell } from '../support/demo-cell.ts';
import { storedTransfer } from '../support/transfers.ts';
import { until } from '../support/until.ts';
import { launch, openPage } from './browser.ts';

let world: TransferWorld;
let browser: Browser;

beforeAll(async () => {
  [world, browser] = await Promise.all([startTransferWorld(), launch()]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

it('draws the bytes that are there, says how many, and finds the transfer', { timeout: 60_000 }, async () => {
  const transfer = await world.record(
    storedTransfer({
      size: 183_500,
      state: 'PARTIAL',
      received: [
        [0, 40_960],
        [49_152, 65_536],
        [120_000, 120_400],
      ],
      by: 'ada',
      actor: {},
    }),
  );
  // No process here runs transfers: there is no chart, and no log.
  const { page, problems } = await openPage(browser, world.url, { forgiven: /inspect\/(charts|entities)/ });
  await page.goto(`${world.url}/inspect#transfer/sat1.7.2`);
  await page.locator('#ranges-text', { hasText: '57,744 of 183,500 B · 31 % · 3 gaps' }).waitFor();
  expect(await page.locator('#entity-title').textContent()).toBe('sat1.7.2');
  const rects = await page
    .locator('#ranges rect')
    .evaluateAll((all) => all.map((each) => ['x', 'width'].map((name) => Number(each.getAttribute(name)))));
  // 300 parts of 611 2/3 bytes.
  expect(rects[0]).toEqual([0, 66]);
  expect(rects.at(-1)![0]).toBe(196);
  expect(await page.locator('#ranges svg').getAttribute('aria-label')).toContain('3 gaps');
  if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
  await world.record({ ...transfer, received: [[0, 183_500]] });
  await page.reload();
  await page.locator('#ranges-text', { hasText: '183,500 of 183,500 B · 100 % · no gap' }).waitFor();
  expect(problems).toEqual([]);
  await page.context().close();
});

it('MC-XFER-050 MC-XFER-052 says how fast a transfer may go now', {
  timeout: 150_000,
}, async () => {
  const cell = await startDemoCell({ memberTtlMs: 20_000 });
  try {
    const patiently = { timeoutMs: 60_000 };
    const listed = async (): Promise<boolean> => {
      const { body } = await call<{ files?: unknown[] }>('GET', `${cell.api}/v1/targets/sat1/files`);
      return (body.files?.length ?? 0) > 0;
    };
    // Each is a telecommand: what is asked for next would wait behind all that are under way.
    await until(async () => {
      await call('POST', `${cell.api}/v1/targets/sat1/files/refresh`).catch(() => undefined);
      return until(listed, { timeoutMs: 5_000 }).catch(() => false);
    }, patiently);
    await cell.fault('no_chunks', true);
    const body = { target: 'sat1', file_id: '2' };
    await until(async () => (await call('POST', `${cell.api}/v1/transfers`, body)).status === 201, patiently);
    const { page, problems } = await openPage(browser, cell.api, { forgiven: /inspect/ });
    await page.goto(`${cell.api}/inspect#transfer/sat1.2.1`);
    // It is of the moment at which it is looked at; a gateway reports every five seconds.
    const pace = await until(async () => {
      await page.reload();
      await page.locator('#ranges-text', { hasText: '0 of 2,048 B' }).waitFor();
      return page.locator('#ranges-pace').textContent();
    }, patiently);
    expect(pace).toMatch(/^[\d.]+ k?bit\/s \((gateway|measured)\) · at least 0:\d\d left$/);
    if (process.env['SCREENSHOT'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOT']}.pace.png` });
    expect(problems).toEqual([]);
    await page.context().close();
  } finally {
    await cell.stop();
  }
});
