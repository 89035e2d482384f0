/** Events, histories, fleet and simulation of the operator's console against a real process with its archive. */

import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LogEvent } from '../../contract/event.ts';
import { call } from '../support/client.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { findings, type OperatorCell, seeChart, startOperatorCell } from './operator-page.ts';
import { FEEDING, heapOf, sampleOf } from './page-work.ts';

const forgiven = /status of (4\d\d|503 .*readyz|503)/;
const ADA = { 'x-mcs-user': 'ada' };
const PATIENTLY = { timeoutMs: 40_000 };

let cell: OperatorCell;
let browser: Browser;
const opened: Watched[] = [];
/** Telecommands so far. */
let sent = 0;

beforeAll(async () => {
  [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
  for (const period of [61, 62, 63])
    await send({ target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: `${period} s` } });
  await recorded();
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

async function send(body: object): Promise<void> {
  expect((await call('POST', `${cell.mcs.api}/v1/tc`, body, ADA)).status).toBe(202);
  sent += 1;
}

/** How many telecommands the log has; undefined where it does not answer. */
async function inLog(): Promise<number | undefined> {
  const { body } = await call<{ telecommands?: unknown[] }>('GET', `${cell.mcs.api}/v1/tc`);
  return body.telecommands?.length;
}

/** The log has all that was sent. */
async function recorded(): Promise<void> {
  await until(async () => (await inLog()) === sent, PATIENTLY);
}

async function open(fragment: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const watched = await openPage(browser, cell.mcs.api, { forgiven, ...options });
  opened.push(watched);
  await watched.page.goto(`${cell.mcs.api}/${fragment}`);
  await watched.page.locator('nav [aria-current=page]').first().waitFor();
  return watched.page;
}

describe('the events', () => {
  it('are filtered, live at their head, opened by keyboard, and saved as they are filtered', async () => {
    const page = await open('#/events?target=sat1&kinds=telecommand,link');
    const rows = page.locator('.events tbody tr[aria-rowindex]');
    await rows.filter({ hasText: 'ada sent obc.set_watchdog to sat1.' }).first().waitFor();
    // Links are recorded after what happened later: the page has them where they belong.
    await rows.filter({ hasText: 'The link of gateway sim-1 is up.' }).first().waitFor();
    const times = (await rows.locator('td:first-child').allTextContents()).map((each) => each.trim());
    expect(times).toEqual([...times].sort().reverse());
    await page.getByLabel('Find').fill('SET_WATCHDOG');
    await page.getByLabel('Person').fill('ada');
    await page.getByLabel('link', { exact: true }).uncheck();
    await until(async () => {
      const texts = await rows.allTextContents();
      return texts.length >= 3 && texts.every((text) => /telecommand.*ada.*set_watchdog/s.test(text));
    }, PATIENTLY);
    expect(await findings(page)).toEqual([]);
    await until(
      async () => (await page.locator('main p[role=status]').textContent())?.includes(', live') === true,
    );
    const before = await rows.count();
    await send({ target: 'sat1', telecommand: 'obc.ping' });
    await send({ target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '64 s' } });
    await until(async () => (await rows.count()) > before, PATIENTLY);
    expect((await rows.allTextContents()).join()).not.toContain('obc.ping');
    await page.reload();
    await rows.first().waitFor();
    await rows.first().getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Event', exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    const detail = page.locator('section', { hasText: 'Event' });
    const id = (await detail
      .getByText(/^[0-9A-Z]{26}$/)
      .first()
      .textContent())!;
    await seeChart(detail, { id: `sat1.${id}`, state: /^telecommand\./ });
    await rows.first().waitFor();

    const saved = async (name: string): Promise<string> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await file.path(), 'utf8');
    };
    const csv = (await saved('Save as CSV')).trim().split('\n');
    expect(csv[0]).toBe('time,kind,severity,target,subject,name,state,by,run,text,link,id');
    await page.locator('[role=status]', { hasText: 'events saved' }).waitFor();
    const json = JSON.parse(await saved('Save as JSON')) as LogEvent[];
    expect(json.length).toBeGreaterThanOrEqual(csv.length - 1);
    expect(json.every(({ kind, by }) => kind === 'telecommand' && by === 'ada')).toBe(true);
  }, 150_000);

  it('of a time that has ended are not live, and what is no time is said to be none', async () => {
    const page = await open('#/events?target=sat1&to=2020-01-01');
    await page.locator('main p[role=status]', { hasText: '0 events, of a time that has ended' }).waitFor();
    await page.getByLabel('From', { exact: true }).fill('yesterday');
    await page.keyboard.press('Tab');
    await page.getByRole('alert').filter({ hasText: 'a time in UTC' }).waitFor();
  }, 60_000);
});

describe('the history of telecommands', () => {
  it('history-view.H1 says who sent what, and opens the form filled in with what was asked for', async () => {
    await recorded();
    const page = await open('#/telecommands/obc.reboot?target=sat1');
    await page
      .locator('.conditions', { hasText: /obc\.mode == SAFE.*obc\.mode is [A-Z]+, .* old/s })
      .waitFor();
    const rows = page.locator('.history tbody tr');
    const third = rows.filter({ hasText: 'obc.set_watchdog' }).last();
    await third.waitFor();
    const heads = await page.locator('.history thead th').allTextContents();
    const cells = await third.locator('td, th').allTextContents();
    expect(cells[heads.indexOf('by')]!.trim()).toBe('ada');
    expect(cells[heads.indexOf('state')]).toMatch(/[A-Z]{4,}/);
    await third.getByRole('button', { name: 'Fill in obc.set_watchdog again' }).click();
    const period = page.getByRole('textbox', { name: /^period/ });
    await until(async () => (await period.inputValue()) === '61 s', PATIENTLY);
    expect(new URL(page.url()).hash).toContain('arg.period=61');
    expect(await page.locator('.review').count()).toBe(0);
    // What is typed goes into the address, and comes back with it.
    await period.fill('65 s');
    await until(() => new URL(page.url()).hash.includes('arg.period=65'));
    await page.reload();
    await until(async () => (await period.inputValue()) === '65 s', PATIENTLY);
    expect(await findings(page)).toEqual([]);
    expect(await until(inLog, PATIENTLY)).toBe(sent);
  }, 90_000);
});

describe('the plot', () => {
  it('lists the alarms of its measures and the telecommands of its time', async () => {
    const page = await open('#/values?target=sat1&plot=battery%5B1%5D.voltage', { theme: 'dark' });
    const happened = page.locator('.happened');
    await happened
      .locator('li', { hasText: 'battery[1].voltage active, not acknowledged; critical' })
      .waitFor();
    await happened
      .locator('li', { hasText: /obc\.set_watchdog sent by ada/ })
      .first()
      .waitFor();
    expect(await findings(page)).toEqual([]);
  }, 60_000);
});

describe('the fleet', () => {
  it('shows links with their rate, connectors with their lag, and switches faults of the simulation', async () => {
    const page = await open('#/fleet?target=sat1');
    await page.locator('tbody tr', { hasText: /uhf.*pus.*running.*sim-1.*up.*\d per s/s }).waitFor();
    await page.getByRole('link', { name: 'Connectors' }).click();
    await page
      .locator('section', { hasText: 'recorder' })
      .locator('td', { hasText: '● reads' })
      .first()
      .waitFor();
    expect(await findings(page)).toEqual([]);
    // A healthy archive holds what it stores in a few minutes, and is not behind.
    const archived = page.locator('section[aria-label^="Connector archive"] tbody tr', {
      hasText: 'TM_VALUES',
    });
    await archived.filter({ hasText: /[1-9]\d*, stored at \d\d:\d\d:\d\dZ/ }).waitFor();
    await until(async () => (await archived.locator('td').nth(1).textContent())?.trim() === '', PATIENTLY);
    await page.getByRole('link', { name: 'Units' }).click();
    await page.getByText('No unit has registered.').waitFor();
    await page.getByRole('link', { name: 'Simulation' }).click();
    const silence = page.locator('tbody tr', { hasText: 'tm_silence' });
    await silence.getByRole('button', { name: 'Switch on tm_silence' }).focus();
    await page.keyboard.press('Enter');
    await silence.getByText('△ on').waitFor();
    // Whoever pressed it by keyboard is still there.
    const label = "document.activeElement.getAttribute('aria-label')";
    await until(async () => (await page.evaluate(label)) === 'Switch off tm_silence');
    expect(await findings(page)).toEqual([]);
    await silence.getByRole('button', { name: 'Switch off tm_silence' }).click();
    await silence.getByText('off', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toContain('/fleet/simulation');
  }, 60_000);

  it('and the log fit 390 px without a page that scrolls sideways', async () => {
    const page = await open('#/events?target=sat1', { width: 390, theme: 'dark' });
    const width = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth');
    await page.locator('.events tbody tr[aria-rowindex]').first().waitFor();
    expect(await width()).toBeLessThanOrEqual(390);
    for (const part of ['links', 'units', 'connectors', 'simulation']) {
      await page.goto(`${cell.mcs.api}/#/fleet/${part}?target=sat1`);
      await page.locator('.parts [aria-current=page]', { hasText: new RegExp(part, 'i') }).waitFor();
      expect(await width()).toBeLessThanOrEqual(390);
    }
  }, 60_000);
});

it('an event of an alarm leads to the plot of its measure, where it has one', async () => {
  const watched = await openPage(browser, cell.mcs.api, { forgiven });
  opened.push(watched);
  const { page } = watched;
  await page.addInitScript(FEEDING);
  await page.goto(`${cell.mcs.api}/#/events?target=sat1&kinds=alarm`);
  await page
    .getByRole('status')
    .filter({ hasText: /events?, live/ })
    .waitFor();
  await page.evaluate(`window.feed('events/watch', 2, ${ALARM_EVENT})`);
  // The second one moves the first down: a row that is pressed meanwhile is another event's by then.
  await page.getByRole('button', { name: 'Alarm of battery[1].undervoltage.' }).waitFor();
  await page.getByRole('button', { name: 'Alarm of battery[1].voltage.' }).click();
  await page.getByRole('link', { name: 'its measure, plotted' }).waitFor();
  await page.getByRole('button', { name: 'Alarm of battery[1].undervoltage.' }).click();
  await page.locator('.prompt', { hasText: 'Alarm of battery[1].undervoltage.' }).waitFor();
  expect(await page.getByRole('link', { name: 'its measure, plotted' }).count()).toBe(0);
  await page.getByRole('link', { name: 'the alarms' }).waitFor();
}, 60_000);

describe('what a page keeps', () => {
  it('is flat over thousands of values and events', async () => {
    const watched = await openPage(browser, cell.mcs.api, { forgiven });
    opened.push(watched);
    const { page } = watched;
    await page.addInitScript(FEEDING);
    for (const [fragment, part, make, drawn] of [
      ['#/values?target=sat1', 'values/watch', sampleOf(20), '.values tbody strong'],
      ['#/events?target=sat1', 'events/watch', EVENT, '.events tbody tr[aria-rowindex]'],
    ] as const) {
      await page.goto(`${cell.mcs.api}/${fragment}`);
      await page.locator(drawn).first().waitFor();
      await until(async () => (await page.locator('.stale-note').count()) === 0, PATIENTLY);
      await page.evaluate(`window.feed('${part}', 3_000, ${make})`);
      const before = await heapOf(page);
      await page.evaluate(`window.feed('${part}', 10_000, ${make})`);
      // One object for each that is kept by mistake would be twice as much. What was drawn last goes a moment later.
      const isFlat = async (): Promise<boolean> => (await heapOf(page)) - before < 600_000;
      await until(isFlat, { what: `fewer than 600,000 bytes more after 10,000 messages of ${part}` });
    }
  }, 90_000);
});

/** The first is of a measure, the second has a condition of its own. */
const ALARM_EVENT = `(n) => {
  const name = 'battery[1].' + ['voltage', 'undervoltage'][n];
  return JSON.stringify({ time: new Date().toISOString(), kind: 'alarm', severity: 'info', target: 'sat1', subject: 'sat1.' + name, name, state: 'NORMAL', text: 'Alarm of ' + name + '.' });
}`;
const EVENT = `(n) => JSON.stringify({ time: new Date().toISOString(), kind: 'run', severity: 'info', subject: 'R' + n, text: 'Run ' + n + ' began.' })`;
