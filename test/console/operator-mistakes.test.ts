/**
 * What an operator does in passing, in a real browser against a real process: a double click, another target in the
 * middle of a form, a page that is left and come back to, an answer that does not say what became of it.
 */

import type { Browser, Page, Route } from 'playwright-core';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { LaunchReply } from '../../contract/run.ts';
import { call } from '../support/client.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { loseFirstAnswer } from './lost-answer.ts';
import { manyMeasures, named, type OperatorCell, startOperatorCell } from './operator-page.ts';

const forgiven = /status of (4\d\d|503)/;
const ADA = { 'x-mcs-user': 'ada' };
const START = 'start=ops@1.0.0/ask_level';

let cell: OperatorCell;
let browser: Browser;
const opened: Watched[] = [];

beforeAll(async () => {
  [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
}, 90_000);
afterAll(async () => {
  await browser.close();
  await cell.stop();
});
afterEach(async () => {
  const problems = opened.flatMap((each) => each.problems);
  for (const { page } of opened.splice(0)) await page.context().close();
  expect(problems).toEqual([]);
});

async function open(fragment: string, prepare?: (page: Page) => Promise<void>): Promise<Page> {
  const watched = await openPage(browser, cell.mcs.api, { forgiven });
  opened.push(watched);
  await prepare?.(watched.page);
  await watched.page.goto(`${cell.mcs.api}/${fragment}`);
  await watched.page.locator('nav [aria-current=page]').waitFor();
  return watched.page;
}

const goTo = (page: Page, fragment: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
/** Everything that an answer changes was drawn. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

it('start-form.F1 a form that starts a run is of one target and one address', async () => {
  const page = await open(`#/runs?target=sat1&${START}`);
  const least = page.getByRole('textbox', { name: /^least/ });
  const role = page.getByRole('combobox', { name: /^target of sat/ });
  await page.getByRole('combobox', { name: /^environment/ }).selectOption('rehearsal');
  await least.fill('4');
  expect(await role.inputValue()).toBe('sat1');
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.locator('.line', { hasText: 'sat=sat1, least=4 dB' }).waitFor();
  // The link of a colleague.
  await goTo(page, `#/runs?target=sat1&${START}&in.least=5`);
  await until(async () => (await least.inputValue()) === '5', { what: 'what the address has typed' });
  await least.fill('6');
  await page.getByRole('combobox', { name: /^environment/ }).selectOption('rehearsal');
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.locator('.line', { hasText: 'sat=sat1, least=6 dB' }).waitFor();
  // Another spacecraft, which is not of the platform of that role.
  await goTo(page, `#/runs?target=sat2&${START}`);
  await page.locator('.status strong', { hasText: 'sat2' }).waitFor();
  await least.waitFor();
  expect([await least.inputValue(), await role.inputValue()]).toEqual(['', '']);
  expect(await page.locator('.line').count()).toBe(0);
}, 60_000);

it('a start that nobody knows the outcome of is repeated under the same identifier, and starts one run', async () => {
  const page = await open(`#/runs?target=sat1&${START}`);
  await named(page);
  const ids = await loseFirstAnswer(page, '/v1/runs');
  const review = async (): Promise<void> => {
    await page.getByRole('combobox', { name: /^environment/ }).selectOption('rehearsal');
    await page.getByRole('button', { name: 'Review…' }).click();
  };
  await review();
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.locator('.refusal', { hasText: 'under the same identifier' }).waitFor();
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.locator('#run-title').waitFor();
  expect(new URL(page.url()).hash).toContain(`runs/${ids[0]}`);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  // What is reviewed again is another run.
  await goTo(page, `#/runs?target=sat1&${START}`);
  await review();
  await page.getByRole('button', { name: 'Start the run' }).click();
  await until(() => ids.length === 3, { what: 'the start of another one' });
  expect(new Set(ids).size).toBe(2);
  for (const run of new Set(ids)) await call('POST', `${cell.mcs.api}/v1/runs/${run}/abort`, {}, ADA);
}, 60_000);

it('a telecommand that nobody knows the outcome of keeps its chain and its identifier', async () => {
  const page = await open('#/telecommands/obc.ping?target=sat1');
  await page.getByRole('button', { name: 'Review…' }).click();
  const ids = await loseFirstAnswer(page, '/v1/tc');
  await page.getByRole('button', { name: 'Send to sat1' }).click();
  await page.locator('.refusal', { hasText: 'under the same identifier' }).waitFor();
  await page.locator('.chain', { hasText: '✓ VERIFIED' }).waitFor();
  await page.getByRole('button', { name: 'Send again, same identifier' }).click();
  await page.getByText('The service has it (it had it already)').waitFor();
  expect(new Set(ids).size).toBe(1);
  expect(await page.locator('.chain').count()).toBe(1);
}, 60_000);

it('the second click of a double click does not do what the first one asks about', async () => {
  const request = { run: 'ask_level', environment: 'rehearsal', targets: { sat: 'sat1' } };
  const { run } = (await call<LaunchReply>('POST', `${cell.mcs.api}/v1/runs`, request, ADA)).body;
  const page = await open(`#/runs/${run}?target=sat1`);
  await named(page);
  const ask = page.getByRole('button', { name: 'Abort…', exact: true });
  // All that stands above and before the button is there: it does not move any more.
  await page.locator('.question', { hasText: 'Signal level of the downlink?' }).waitFor();
  await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
  await ask.click();
  // The second click comes when the question is drawn, where the button was: there stands what changes nothing.
  const commands = page.getByRole('group', { name: 'Commands for the run' }).getByRole('button');
  await page.getByRole('button', { name: 'Abort this run now' }).waitFor();
  expect(await commands.allTextContents()).toEqual(['Suspend', 'Do not abort', 'Abort this run now']);
  await page.getByRole('button', { name: 'Do not abort' }).click();
  await ask.waitFor();
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.locator('.badge', { hasText: 'suspended' }).first().waitFor();
  await ask.click();
  await page.getByRole('button', { name: 'Abort this run now' }).click();
  await page.locator('.log li', { hasText: /finished/i }).waitFor();
}, 60_000);

it('history-view.H1 whoever goes on to another target is not taken back to a form', async () => {
  const id = ulid();
  const sent = { id, target: 'sat1', telecommand: 'obc.ping' };
  expect((await call('POST', `${cell.mcs.api}/v1/tc`, sent, ADA)).status).toBe(202);
  // The page reads the past when it is opened.
  await until(async () => {
    const past = await call<{ telecommands?: { id: string }[] }>('GET', `${cell.mcs.api}/v1/tc?target=sat1`);
    return past.body.telecommands?.some((each) => each.id === id);
  });
  const page = await open('#/telecommands?target=sat1');
  const again = page.getByRole('button', { name: 'Fill in obc.ping again' }).first();
  await again.waitFor();
  const held: Route[] = [];
  await page.route('**/v1/events?subject=*', (route) => void held.push(route));
  await again.click();
  await until(() => held.length > 0, { what: 'the question for what was sent' });
  await goTo(page, '#/telecommands?target=sat2');
  await page.locator('.status strong', { hasText: 'sat2' }).waitFor();
  const answered = page.waitForResponse('**/v1/events?subject=*');
  for (const route of held) await route.continue();
  await (await answered).finished();
  await drawn(page);
  expect(await page.evaluate('location.hash')).toBe('#/telecommands?target=sat2');
}, 60_000);

it('rows-in-sight.R2 a table that was scrolled has its first rows when one comes back', async () => {
  const page = await open('#/values?target=sat1', async (opening) => {
    await opening.route('**/catalogue', (route) => route.fulfill({ json: manyMeasures(2_000) }));
  });
  const rows = page.locator('.values tbody tr[aria-rowindex]');
  // Values that came before the catalogue are rows as well, too few of them to scroll.
  await rows.filter({ hasText: 'big.m' }).first().waitFor();
  await page.evaluate("document.querySelector('.values.in-sight').scrollTo({ top: 30_000 })");
  await until(async () => Number(await rows.first().getAttribute('aria-rowindex')) > 900);
  await page.locator('nav').getByRole('link', { name: 'Alarms' }).click();
  await page.getByRole('heading', { name: /^Alarms/ }).waitFor();
  await page.locator('nav').getByRole('link', { name: 'Values' }).click();
  await until(async () => (await rows.first().getAttribute('aria-rowindex')) === '2', {
    what: 'the first row in sight',
  });
}, 60_000);

it('a value that is a long text leaves state and age in sight', async () => {
  const page = await open('#/values?target=sat1');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator('.values td strong').first().waitFor();
  const widest = await page.evaluate(`(() => {
    const text = 'nominal '.repeat(15).trim();
    for (const value of document.querySelectorAll('.values td strong')) value.textContent = text;
    const age = document.querySelector('.values tbody tr[aria-rowindex] td:last-child');
    return Math.ceil(age.getBoundingClientRect().right);
  })()`);
  expect(widest).toBeLessThanOrEqual(1280);
}, 60_000);
