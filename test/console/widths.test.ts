/**
 * Pages of the console on the narrowest and on the widest screen that somebody uses: everything is within the window,
 * large enough to be hit, and on a wide one near enough to what it belongs to.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { AHEAD, named, type OperatorCell, startOperatorCell } from './operator-page.ts';
import { FEEDING } from './page-work.ts';

const forgiven = /status of (4\d\d|503)/;
const ADA = { 'x-mcs-user': 'ada' };
const PATIENTLY = { timeoutMs: 60_000 };
const NARROW = 390;
const WIDE = 2560;

let cell: OperatorCell;
let browser: Browser;
/** A run that asks. */
let run = '';
const opened: Watched[] = [];

beforeAll(async () => {
  [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
  await post('/v1/tc', { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '61 s' } });
  run = (await post('/v1/runs', { run: 'ask_level', targets: { sat: 'sat1' }, environment: 'rehearsal' }))
    .run;
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

async function post(path: string, body: object, by: object = ADA): Promise<{ run: string }> {
  return until(async () => {
    const answer = await call<{ run: string }>('POST', `${cell.mcs.api}${path}`, body, { ...by });
    return answer.status < 300 && answer.body;
  }, PATIENTLY);
}

async function open(path: string, options: Parameters<typeof openPage>[2]): Promise<Page> {
  const watched = await openPage(browser, cell.mcs.api, { forgiven, ...options });
  opened.push(watched);
  await watched.page.addInitScript(FEEDING);
  // Charts that nobody looks at are not laid out.
  await watched.page.route(AHEAD, (route) => route.fulfill({ json: {} }));
  await go(watched.page, path);
  return watched.page;
}

async function go(page: Page, path: string): Promise<void> {
  await page.goto(`${cell.mcs.api}${path}`);
  await page.locator('#frame [aria-current=page]').waitFor();
}

/** Every page, with what is there when it has what it shows. */
function pages(): readonly (readonly [path: string, filled: string])[] {
  const plot = encodeURIComponent('battery[1].voltage');
  return [
    ['/#/alarms?target=sat1', '.alarms tbody tr'],
    [`/#/values?target=sat1&plot=${plot}`, '.values tbody strong'],
    ['/#/telecommands/obc.set_watchdog?target=sat1', '.history tbody tr'],
    [`/#/runs/${run}?target=sat1`, '.question input'],
    ['/#/runs?target=sat1&start=ops@1.0.0/reboot_obc', '.field select'],
    ['/#/passes?target=sat1', '.timeline'],
    ['/#/passes?target=sat1&view=rules', 'main button'],
    ['/#/files?target=sat1', '.tools button'],
    ['/#/events?target=sat1', '.events tbody tr[aria-rowindex]'],
    // Not a table of the page before, which stands until this one is drawn.
    ['/#/fleet/links?target=sat1', '[aria-label="Table of links"] tbody tr'],
    ['/#/fleet/units?target=sat1', '.parts [aria-current=page]'],
    ['/#/fleet/connectors?target=sat1', 'section.panel'],
    ['/#/fleet/simulation?target=sat1', 'tbody button'],
    ['/inspect?target=sat1', '#tree [role=treeitem]'],
    [`/inspect?target=sat1#run/${run}`, '#run-notice-text'],
  ];
}

describe('at 390 px', () => {
  it('nothing is beyond the edge, and what is pressed is at least 24 px high', async () => {
    const page = await open('/', { width: NARROW });
    const wrong: string[] = [];
    for (const [path, filled] of pages()) {
      await go(page, path);
      await page.locator(filled).first().waitFor();
      const found = await page.evaluate<string[]>(`[...(${BEYOND})(), ...(${SMALL})()]`);
      wrong.push(...found.map((each) => `${path}: ${each}`));
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it('the name of a hazardous telecommand is typed within the window', async () => {
    const page = await open('/#/telecommands/obc.reboot?target=sat1', { width: NARROW, theme: 'dark' });
    await named(page);
    await page.getByRole('button', { name: 'Review…' }).click();
    await page.getByLabel('To send it, type its name').waitFor();
    expect(await page.evaluate(`(${BEYOND})()`)).toEqual([]);
  }, 60_000);

  it('the log of events ends the page: what is hidden in its rows does not make it longer', async () => {
    const page = await open('/#/events?target=sat1', { width: NARROW });
    const rows = page.locator('.events tbody tr[aria-rowindex]');
    await rows.first().waitFor();
    await page.evaluate(`window.feed('events/watch', 60, ${EVENT})`);
    await rows.filter({ hasText: 'Run 59 began.' }).waitFor();
    expect(
      await page.evaluate(
        "document.documentElement.scrollHeight - Math.max(innerHeight, document.getElementById('main').getBoundingClientRect().bottom + scrollY)",
      ),
    ).toBeLessThanOrEqual(1);
  }, 60_000);

  it('what happened is read in the log of events without moving it sideways, also far down and on a telephone that is turned', async () => {
    const page = await open('/#/events?target=sat1', { width: NARROW });
    const rows = page.locator('.events tbody tr[aria-rowindex]');
    await rows.first().waitFor();
    await page.evaluate(`window.feed('events/watch', 60, ${EVENT})`);
    await rows.filter({ hasText: 'Run 59 began.' }).waitFor();
    const looks = `(() => {
      const box = document.querySelector('.events');
      const heights = [...box.querySelectorAll('tr[aria-rowindex]')].map((row) => row.getBoundingClientRect().height);
      const cut = [...box.querySelectorAll('.line-button')].filter((each) => each.scrollWidth > each.clientWidth);
      const [text, edge] = [box.querySelector('.line-button'), box.getBoundingClientRect().right];
      const days = [...box.querySelectorAll('td.mono span')].map((each) => Math.round(each.getBoundingClientRect().height));
      return { lines: Math.max(...days) < 24, rest: edge - text.parentElement.getBoundingClientRect().right < 20, sideways: box.scrollWidth - box.clientWidth, heights: [...new Set(heights)], cut: cut.length };
    })()`;
    expect(await page.evaluate(looks)).toEqual({
      lines: true,
      rest: true,
      sideways: 0,
      heights: [60],
      cut: 0,
    });
    // Rows that are drawn stand where the height of those before them says.
    await page.locator('.events').evaluate((box) => box.scrollTo({ top: 40 * 60 }));
    await rows.filter({ hasText: 'Run 19 began.' }).waitFor();
    const { y } = (await page.locator('.events tr[aria-rowindex="42"]').boundingBox())!;
    const box = (await page.locator('.events').boundingBox())!;
    expect(Math.abs(y - box.y)).toBeLessThan(60);
    await page.setViewportSize({ width: 844, height: 600 });
    await until(async () => (await page.locator('.events tr[aria-rowindex="42"]').count()) === 1, PATIENTLY);
    const inSight = async (): Promise<boolean> => {
      const row = (await page.locator('.events tr[aria-rowindex="42"]').boundingBox())!;
      const seen = (await page.locator('.events').boundingBox())!;
      return row.height === 30 && row.y >= seen.y - 30 && row.y < seen.y + seen.height;
    };
    await until(inSight, { ...PATIENTLY, what: 'the row that was read, on the telephone that was turned' });
  }, 60_000);

  it('the history says what became of a telecommand without being moved sideways', async () => {
    const page = await open('/#/telecommands?target=sat1', { width: NARROW });
    const state = page.locator('.history tbody tr td span').first();
    await state.waitFor();
    const { x, width } = (await state.boundingBox())!;
    expect(x + width).toBeLessThan(NARROW - 20);
  }, 60_000);

  it('buttons that belong together stand in one line, in the frame and over a timeline', async () => {
    const page = await open('/#/passes?target=sat1', { width: NARROW });
    // At one moment: the page moves while what it shows comes.
    const lines = async (names: readonly string[]): Promise<Set<number>> => {
      const buttons = page.getByRole('button', { name: new RegExp(`^(${names.join('|')})$`) });
      await until(async () => (await buttons.count()) === names.length, { what: names.join(', ') });
      return new Set(
        await buttons.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().y))),
      );
    };
    expect(await lines(['Earlier', 'Later', 'Zoom in', 'Zoom out', 'Now'])).toHaveLength(1);
    // What a finger cannot drag takes no room.
    expect(await page.getByRole('group', { name: 'Procedures to drag' }).count()).toBe(0);
    expect(await lines(['Target sat1', 'No name given'])).toHaveLength(1);
  }, 60_000);

  it('what is said of a list is true where it stands above, and of one thing', async () => {
    const page = await open('/#/runs?target=sat1', { width: NARROW });
    await page.getByText('1 run, those that wait first').waitFor();
    await page.getByText('Choose a run in the list').waitFor();
    await go(page, '/#/telecommands?target=sat1');
    await page.getByText('Choose a telecommand in the list.').waitFor();
    expect(await page.getByText('on the left').count()).toBe(0);
    await go(page, '/#/runs?target=sat1&start=ops@1.0.0/ask_level');
    await page.getByText('What is strong enough; number in dB, 0 to 10').waitFor();
  }, 60_000);

  it('what an entity holds comes before the tree of all processes', async () => {
    const page = await open(`/inspect?target=sat1#run/${run}`, { width: NARROW });
    await page.locator('#run-log-list li').first().waitFor();
    const top = async (selector: string): Promise<number> =>
      (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
    await page.locator('#details').waitFor();
    expect(await top('#entity')).toBeLessThan(await top('#details'));
    expect(await top('#details')).toBeLessThan(await top('#search'));
  }, 60_000);
});

describe('at 1440 px', () => {
  it('the state of a target in a pass stands in one line, and the pages in one', async () => {
    const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
    const [aos, los] = [at(-3), at(90)];
    const pass = {
      id: 'now',
      target: 'sat1',
      station: 'kiruna',
      aos,
      los,
      source: 'fds',
      status: 'predicted',
    };
    const window = { source: 'fds', target: 'sat1', from: at(-60), to: at(600) };
    const passes = [{ ...pass, max_elevation: '40 deg' }];
    await post('/v1/passes/replace_window', { ...window, passes }, { 'x-mcs-user': 'flight-dynamics' });
    const page = await open('/#/alarms?target=sat1', { width: 1440 });
    await page.locator('.fact', { hasText: /^In pass over kiruna, not booked: LOS in/ }).waitFor();
    for (const line of ['.status', '.pages']) {
      const { height } = (await page.locator(line).boundingBox())!;
      expect(height, line).toBeLessThan(50);
    }
  }, 60_000);
});

describe('at 2560 px', () => {
  it('the plot is beside the values, and no column is far from the one before', async () => {
    const plot = encodeURIComponent('battery[1].voltage');
    const page = await open(`/#/values?target=sat1&plot=${plot}`, { width: WIDE });
    await page.locator('.values tbody strong').first().waitFor();
    await page.locator('.plot canvas').waitFor();
    const box = async (selector: string): Promise<{ x: number; y: number; width: number }> =>
      (await page.locator(selector).first().boundingBox())!;
    const table = await box('.in-sight.values');
    expect((await box('.plot')).y).toBeLessThan(table.y + 400);
    expect((await box('.plot')).x).not.toBe(table.x);
    // The canvas is made again when its place has another size.
    const canvas = await until(
      async () => {
        const found = await page.locator('.plot canvas').first().boundingBox();
        return found !== null && found.width > 900 ? found : undefined;
      },
      { what: 'a plot as wide as its place' },
    );
    expect(canvas.width).toBeLessThanOrEqual((await box('.plot')).width + 1);
    expect(await page.evaluate(`(${WIDEST})('.values thead th')`)).toBeLessThan(500);
    expect(await page.evaluate(`(${BEYOND})()`)).toEqual([]);
    // Without a plot the table has the page, and its columns stay together.
    await page.getByRole('button', { name: 'Clear the plot' }).click();
    await page.locator('.plot canvas').waitFor({ state: 'detached' });
    expect(await page.evaluate(`(${WIDEST})('.values thead th')`)).toBeLessThan(500);
  }, 60_000);

  it('a line of text ends where it can still be followed, and so does a row of a small table', async () => {
    const page = await open('/', { width: WIDE });
    const wrong: string[] = [];
    for (const [path, filled] of pages().filter(([each]) => each.startsWith('/#'))) {
      await go(page, path);
      await page.locator(filled).first().waitFor();
      const found = await page.evaluate<string[]>(`[...(${BEYOND})(), ...(${LONG})()]`);
      if (path.includes('/fleet/')) found.push(...(await page.evaluate<string[]>(`(${APART})()`)));
      wrong.push(...found.map((each) => `${path}: ${each}`));
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it('the log of a run uses the height of the window, and the row under the pointer is marked', async () => {
    const page = await open(`/#/runs/${run}?target=sat1`, { width: WIDE });
    await page.setViewportSize({ width: WIDE, height: 1440 });
    await page.locator('.log').waitFor();
    const most = Number.parseFloat(
      await page.evaluate("getComputedStyle(document.querySelector('.log')).maxHeight"),
    );
    expect(most).toBeGreaterThan(700);
    await go(page, '/#/alarms?target=sat1');
    await page.locator('.alarms tbody tr').first().hover();
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('.alarms tbody tr')).outlineStyle"),
    ).toBe('solid');
  }, 60_000);
});

const EVENT = `(n) => JSON.stringify({ time: new Date(Date.now() + n).toISOString(), kind: 'run', severity: 'info', subject: 'R' + n, text: 'Run ' + n + ' began.' })`;
/** What stands beyond the right edge; what is moved sideways inside its own box is not. */
const BEYOND = `() => {
  const names = [];
  if (document.documentElement.scrollWidth > innerWidth) names.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
  for (const node of document.querySelectorAll('button, input, select, summary, p, h1, h2'))
    if (node.checkVisibility() && node.closest('.scroll, .unseen, dialog') === null && node.getBoundingClientRect().right > innerWidth + 0.5)
      names.push('beyond the edge: ' + (node.id || node.textContent.trim() || node.tagName));
  return names;
}`;
/** Controls that a finger misses; a box to tick is hit by its label as well, a link in a sentence is as high as its line. */
const SMALL = `() => [...document.querySelectorAll('button, select, summary, input, .fact[href], nav a, tbody th a, .in-sight a')]
  .filter((node) => node.checkVisibility() && node.closest('.unseen') === null)
  .map((node) => [node, (node.closest('label') ?? node).getBoundingClientRect().height])
  .filter(([, height]) => height < 23.5)
  .map(([node, height]) => 'only ' + height + ' px: ' + (node.getAttribute('aria-label') || node.textContent.trim() || node.id || node.outerHTML))`;
const WIDEST = `(selector) => Math.max(...[...document.querySelectorAll(selector)].map((node) => node.getBoundingClientRect().width))`;
/** About 120 letters. */
const LONG = `() => [...document.querySelectorAll('main p:not(.empty), main .log li')]
  .filter((node) => node.getBoundingClientRect().width > 1_100)
  .map((node) => Math.round(node.getBoundingClientRect().width) + ' px: ' + node.textContent.trim().slice(0, 40))`;
/** Columns whose rows cannot be followed. */
const APART = `() => [...document.querySelectorAll('main thead th')]
  .filter((node) => node.getBoundingClientRect().width > 500)
  .map((node) => 'a column of ' + Math.round(node.getBoundingClientRect().width) + ' px: ' + node.textContent)`;
