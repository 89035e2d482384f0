/**
 * What sleeps, and what comes late, on the page `/inspect` in a real browser: an alarm at rest is found and drawn from
 * its record, a row names its telecommand and target, and the chart is never that of the entity seen before.
 */

import type { Browser, Page, Route } from 'playwright-core';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { currentRevision, leaf, programOf, submitProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';

/** On a machine that has much else to do. */
const BUSY = { timeoutMs: 40_000 };
/** What a busy process does not answer in time the page asks again; and nothing is left of the log of an old alarm. */
const forgiven = /status of (?:404|5\d\d) .*\/v1\/inspect\//;

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

async function open(fragment: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const watched = await openPage(browser, cell.api, { forgiven, ...options });
  opened.push(watched);
  await watched.page.goto(`${cell.api}/inspect${fragment}`);
  await watched.page.locator('#connection.ok').waitFor();
  return watched.page;
}

async function finishedPing(): Promise<string> {
  const id = ulid();
  const request = { id, target: 'sat1', telecommand: 'obc.ping' };
  expect((await call('POST', `${cell.api}/v1/tc`, request, { 'x-mcs-user': 'ada' })).status).toBe(202);
  await until(async () => {
    const path = `${cell.api}/v1/inspect/entities/telecommand/sat1.${id}`;
    return (await call<{ entity?: { status: string } }>('GET', path)).body.entity?.status === 'finished';
  }, BUSY);
  return `sat1.${id}`;
}

async function asking(): Promise<string> {
  const steps = [
    leaf('level', [{ kind: 'ask', prompt: ['Signal level of the downlink?'], timeoutMs: null }]),
  ];
  const leases = [{ target: 'sat1', mode: 'shared' }] as const;
  return submitProgram(cell.bus, programOf(await currentRevision(cell.bus), steps, { leases }), {
    by: 'ada',
  });
}

/** Where it is not, the failure says what the page and the test are answered. */
async function chartDrawn(page: Page, kind: string): Promise<void> {
  const isDrawn = async (): Promise<boolean> => (await page.evaluate<string[]>(KINDS_DRAWN)).join() === kind;
  await until(isDrawn, BUSY).catch(async (cause: unknown) => {
    const answers = await page.evaluate<string>(ANSWERS);
    const note = await page.locator('#entity-note').textContent();
    const { status, body } = await call<object>('GET', `${cell.api}/v1/inspect/charts/${kind}`);
    const direct = `${status} ${JSON.stringify(body).slice(0, 200)}`;
    throw new Error(`no chart of the ${kind}; note: ${note}; direct: ${direct}; answers: ${answers}`, {
      cause,
    });
  });
}

it('an alarm that waits is found by its target, and drawn from its record', {
  timeout: 120_000,
}, async () => {
  const key = 'sat1.battery.1.old';
  const record = {
    state: 'CLEARED_UNACK',
    previous: 'ACTIVE_UNACK',
    severity: 'warning',
    seq: 4,
    at: '2026-01-01T00:00:00.000Z',
  };
  const entry = { ...record, actor: { epoch: 1, evaluated: { position: 1, at: 1 } } };
  await cell.bus.bucket(buckets.alarms).overwrite(key, Buffer.from(JSON.stringify(entry)));
  const page = await open('');
  await page.locator('#search-kind').selectOption('alarm');
  const row = page.locator('#results li', { hasText: key });
  await row.filter({ hasText: /CLEARED_UNACK.*alarm · battery\[1\]\.old · sat1 · at rest/ }).waitFor();
  await row.locator('a').click();
  await page.locator('#chart [data-state="alarm.life.CLEARED_UNACK"].active').waitFor();
  await page.locator('#chart [data-state="alarm.shelving.unshelved"].active').waitFor();
  // The words are drawn together, a moment behind the chart.
  await page.locator('#entity-status', { hasText: /^◔ at rest$/ }).waitFor();
  expect(await page.locator('#entity-state').textContent()).toBe('CLEARED_UNACK · unshelved');
  expect(await page.locator('#entity-label').textContent()).toBe('battery[1].old');
  // Beside it stands the tree, in which cells of others may be loading.
  const said = await page.locator('#main, #details, #results').allTextContents();
  expect(said.join()).not.toMatch(/loading/);
  await shot(page, 'alarm-at-rest');
});

it('a row names the telecommand and its target', { timeout: 120_000 }, async () => {
  const id = await finishedPing();
  const page = await open(`#telecommand/${id}`);
  await page.locator('#search-id').fill('obc.ping');
  const row = page.locator('#results li', { hasText: id });
  await row.locator('.under', { hasText: /^telecommand · obc\.ping · sat1 · finished/ }).waitFor();
  await page.locator('#entity-label', { hasText: 'obc.ping' }).waitFor();
  await shot(page, 'telecommand-row');
});

it('in high contrast the entry of the log that the chart shows is outlined, and no other', {
  timeout: 120_000,
}, async () => {
  const page = await open(`#telecommand/${await finishedPing()}`);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.locator('#log button[aria-current=step]').waitFor();
  const outlines = await page.evaluate<string[]>(OUTLINES);
  expect(outlines.filter((each) => each === 'solid').length).toBe(1);
});

it('entity-page.E3 a chart that comes late is not drawn for the entity chosen since, nor is that of the one before left', {
  timeout: 120_000,
}, async () => {
  const [ping, run] = [await finishedPing(), await asking()];
  const page = await open(`#telecommand/${ping}`);
  const drawn = (): Promise<string[]> => page.evaluate(KINDS_DRAWN);
  await chartDrawn(page, 'telecommand');
  const held: Route[] = [];
  // The answer is held back for as long as a busy machine takes for the rest: the page does not give up meanwhile.
  await page.evaluate(ENDLESS);
  await page.route(OF_RUN, (route) => void held.push(route));
  await page.evaluate(`location.hash = '#run/${run}'`);
  await until(() => held.length > 0, { ...BUSY, what: 'the question for the chart of the run' });
  expect(await drawn()).toEqual([]);
  expect(await page.locator('#states li').count()).toBe(0);
  await page.evaluate(`location.hash = '#telecommand/${ping}'`);
  await chartDrawn(page, 'telecommand');
  const answered = page.waitForResponse(OF_RUN);
  for (const route of held) await route.continue();
  await (await answered).finished();
  await page.evaluate(DRAWN);
  await page.locator('#chart [data-state="telecommand.VERIFIED"].active').waitFor();
  expect(await drawn()).toEqual(['telecommand']);
});

it('a run is read at 390 px: its question, its steps and its log, without moving the page sideways', {
  timeout: 120_000,
}, async () => {
  const run = await asking();
  const page = await open(`#run/${run}`, { width: 390 });
  await page.locator('#run-notice', { hasText: 'Signal level' }).waitFor();
  await page.locator('#steps [data-path="level"]').waitFor();
  await chartDrawn(page, 'run');
  await page.locator('#chart .state.active').first().waitFor();
  await page.locator('#run-log-list li', { hasText: 'Signal level' }).first().waitFor();
  await shot(page, 'run-390');
  expect(await page.locator('#summary').isVisible()).toBe(false);
  expect(await page.evaluate(BEYOND)).toEqual([]);
  const boxes = (await page.evaluate(BOXES)) as Record<
    string,
    { top: number; height: number; width: number }
  >;
  expect(Object.entries(boxes).filter(([, { height, width }]) => height < 60 || width < 340)).toEqual([]);
  // What the run waits for comes before what is looked up.
  const first = await page.locator('#run-notice').boundingBox();
  expect(first!.y).toBeLessThan(900);
});

it.runIf(process.env['SHOTS'] !== undefined)('the chart of a run, whole', { timeout: 120_000 }, async () => {
  const page = await open(`#run/${await asking()}`);
  await page.locator('#chart .state.active').first().waitFor();
  await page.locator('#show-wide').click();
  await shot(page, 'run-wide');
  await page.setViewportSize({ width: 2880, height: 1600 });
  await shot(page, 'run-wide-large');
});

/** What an entity asks for; what the page asks ahead has no version. */
const OF_RUN = /\/v1\/inspect\/charts\/run\?version=/;
const ENDLESS = 'AbortSignal.timeout = () => new AbortController().signal';
/** Everything that an answer changes was drawn. */
const DRAWN = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
/** What was answered of what the page asked for charts and entities, and when. */
const ANSWERS =
  "performance.getEntriesByType('resource').filter(({ name }) => /charts|entities/.test(name)).slice(-30).map(({ name, startTime, responseEnd, responseStatus }) => [name.replace(location.origin, ''), responseStatus, startTime | 0, responseEnd | 0].join(' ')).join('; ')";
const OUTLINES =
  "[...document.querySelectorAll('#log button')].map((each) => getComputedStyle(each).outlineStyle)";
const KINDS_DRAWN =
  "[...new Set([...document.querySelectorAll('#chart .state')].map((node) => node.dataset.state.split('.')[0]))]";
/** What is wider than the window or stands beyond its edge, what scrolls inside its own box left out. */
const BEYOND = `(() => {
  const names = [];
  if (document.scrollingElement.scrollWidth > innerWidth) names.push('the page');
  const columns = document.querySelector('.columns');
  if (columns.scrollWidth > columns.clientWidth) names.push('the columns');
  for (const node of document.querySelectorAll('#frame *, .bar *, .tools *, .entity-head *, #run-notice *, #search *'))
    if (node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 0.5) names.push(node.id || node.tagName);
  return names;
})()`;
const BOXES = `Object.fromEntries(['run-notice', 'run-steps', 'chart', 'run-log'].map((id) => [id, document.getElementById(id).getBoundingClientRect().toJSON()]))`;

/** Looked at by whoever changes the page; `SHOTS` names a folder. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
