/** A schedule on the page `/inspect` in a real browser: at rest, changed by a person, and over. */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { launch, openPage, type Watched } from './browser.ts';

let cell: DemoCell;
let browser: Browser;
const opened: Watched[] = [];

beforeAll(async () => {
  [cell, browser] = await Promise.all([startDemoCell({ memberTtlMs: 20_000 }), launch()]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await cell.stop();
});
afterEach(async () => {
  const problems = opened.flatMap((each) => each.problems);
  for (const { page } of opened.splice(0)) await page.context().close();
  expect(problems).toEqual([]);
});

async function open(fragment: string): Promise<Page> {
  const watched = await openPage(browser, cell.api);
  opened.push(watched);
  await watched.page.goto(`${cell.api}/inspect${fragment}`);
  await watched.page.locator('#connection.ok').waitFor();
  return watched.page;
}

async function post(path: string, user: string, body?: object): Promise<void> {
  const { status, body: said } = await call('POST', `${cell.api}${path}`, body, { 'x-mcs-user': user });
  expect(status, JSON.stringify(said)).toBe(200);
}

it('lights its state at rest, with why; a person who cancels it is seen; its history is replayed', {
  timeout: 90_000,
}, async () => {
  const at = (minute: number): string => new Date(Date.now() + minute * 60_000).toISOString();
  const place = { target: 'sat1', station: 'kiruna', max_elevation: '47 deg' };
  const booked = { source: 'provider', status: 'booked' };
  await post('/v1/passes', 'station-network', { id: 'p1', aos: at(60), los: at(90), ...place, ...booked });
  const run = { run: 'reboot_obc', targets: { sat: 'sat1' }, environment: 'rehearsal' };
  await post('/v1/schedules', 'ada', { id: 'reboot', pass: 'p1', start: 'aos', ...run });

  const page = await open('#schedule/reboot');
  await page.locator('#chart [data-state="schedule.at_risk"].active').waitFor();
  await page
    .locator('#log li', { hasText: /at_risk: .*needs the validation of a supervisor; by ada/ })
    .waitFor();
  // While its cell lives it is live.
  await page.locator('#entity-status', { hasText: /^◔ at rest$/ }).waitFor();
  await page.locator('#timers li', { hasText: /start\.reached.*in \d+ min/ }).waitFor();
  await page.locator('#search-kind').selectOption('schedule');
  await page.locator('#results li', { hasText: /reboot.*at_risk.*at rest/s }).waitFor();

  await post('/v1/schedules/reboot/cancel', 'eve');
  await page.locator('#chart [data-state="schedule.cancelled"].active').waitFor();
  await page.locator('#player').waitFor();
  expect(await page.locator('#entity-status').textContent()).toBe('✓ finished');
  await page.locator('#log', { hasText: 'cancelled by eve' }).waitFor();
});
