/**
 * The page `/inspect` in a real browser against the real service: what an operator sees and does, with mouse and with
 * keys alone.
 */

import type { Browser, Page } from 'playwright-core';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { type FailingCell, startFailingCell } from './failing-cell.ts';
import { findings } from './operator-page.ts';

let cell: FailingCell;
let browser: Browser;
const opened: Watched[] = [];

beforeAll(async () => {
  [cell, browser] = await Promise.all([startFailingCell(), launch()]);
  // Laid out once, before anybody waits for them.
  for (const kind of ['telecommand', 'supervisor'])
    await until(async () => (await call('GET', `${cell.api}/v1/inspect/charts/${kind}`)).status === 200);
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

async function open(fragment = '', options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const watched = await openPage(browser, cell.api, options);
  opened.push(watched);
  await watched.page.goto(`${cell.api}/inspect${fragment}`);
  await watched.page.locator('#connection.ok').waitFor();
  return watched.page;
}

async function submit(telecommand: string, id = ulid()): Promise<string> {
  const { status } = await call(
    'POST',
    `${cell.api}/v1/tc`,
    { id, target: 'sat1', telecommand },
    { 'x-mcs-user': 'ada' },
  );
  expect(status).toBe(202);
  return id;
}

async function finished(telecommand: string): Promise<string> {
  const id = await submit(telecommand);
  await until(async () => {
    const path = `${cell.api}/v1/inspect/entities/telecommand/sat1.${id}`;
    return (await call<{ entity?: { status: string } }>('GET', path)).body.entity?.status === 'finished';
  });
  return id;
}

const active = (page: Page) => page.evaluate(LIT_STATES) as Promise<string[]>;
const LIT_STATES = "[...document.querySelectorAll('#chart .state.active')].map((node) => node.dataset.state)";

/** Each state of the chart lies in the room of the chart, whatever room the rest of the page leaves it. */
const ALL_STATES_SEEN = `(() => {
  const room = document.querySelector('#chart').getBoundingClientRect();
  return [...document.querySelectorAll('#chart .state')].every((state) => {
    const { left, right, top, bottom } = state.getBoundingClientRect();
    return left >= room.left && right <= room.right && top >= room.top && bottom <= room.bottom;
  });
})()`;

describe('the chart of a telecommand', () => {
  it('moves while it goes: the states it is in are lit, and the transition it took', async () => {
    await cell.fault('no_reports', true);
    try {
      // It is verified for 20 s: the page is there before.
      const page = await open();
      const id = await submit('obc.set_watchdog');
      await page.evaluate(`location.hash = '#telecommand/sat1.${id}'`);
      await page.locator('#chart [data-state="telecommand.SENT.verifying"].active').waitFor();
      expect(await active(page)).toEqual(['telecommand.SENT', 'telecommand.SENT.verifying']);
      await page.locator('#entity-state', { hasText: /^SENT › verifying$/ }).waitFor();
      expect(await page.locator('#chart svg').getAttribute('aria-label')).toContain(
        'SENT, then inside it verifying',
      );
      await page.locator('#timers li', { hasText: /in \d+/ }).waitFor();
      const before = await page.locator('#timers').textContent();
      await until(async () => (await page.locator('#timers').textContent()) !== before, {
        what: 'the countdown',
      });
      await page.locator('#accepts li.ok', { hasText: 'verification.satisfied' }).waitFor();
      expect(await page.locator('#accepts li.refused', { hasText: 'driver.encoded' }).count()).toBe(1);
      await cell.fault('no_reports', false);
      await page
        .locator(
          '#chart [data-state="telecommand.VERIFY_TIMEOUT"].active, #chart [data-state="telecommand.VERIFIED"].active',
        )
        .waitFor();
      await page.locator('#player').waitFor();
      await page.locator('#chart .edge.last').first().waitFor();
      expect(await page.locator('#entity-status').textContent()).toBe('✓ finished');
    } finally {
      await cell.fault('no_reports', false);
    }
  }, 90_000);

  it('can be read as a list instead, with the active states named', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`);
    await page.getByRole('button', { name: 'List' }).click();
    const state = page.locator('#states li[data-state="telecommand.VERIFIED"]');
    await page.locator('#states li[aria-current=true]').first().waitFor();
    expect(await state.textContent()).toContain('active');
    expect(await page.locator('#states').textContent()).toContain('gateway.sent → SENT, does keepSent');
  });

  it('is zoomed, moved and seen whole', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`);
    await page.locator('#chart .state.active').first().waitFor();
    await page.locator('#player').waitFor();
    const view = () => page.locator('#chart svg').getAttribute('viewBox');
    const change = async (act: () => Promise<void>): Promise<void> => {
      const before = await view();
      await act();
      await until(async () => (await view()) !== before, { what: 'another part of the chart' });
    };
    const whole = () => until(() => page.evaluate<boolean>(ALL_STATES_SEEN), { what: 'the whole chart' });
    await change(() => page.locator('#zoom-fit').click());
    await whole();
    await change(() => page.locator('#zoom-in').click());
    const isPart = async (): Promise<boolean> => !(await page.evaluate<boolean>(ALL_STATES_SEEN));
    await until(isPart, { what: 'a part of the chart' });
    await page.locator('#chart').focus();
    await change(() => page.keyboard.press('ArrowRight'));
    await change(() => page.mouse.move(720, 450).then(() => page.mouse.wheel(0, -100)));
    await change(() => page.keyboard.press('0'));
    await whole();
    await change(() => page.setViewportSize({ width: 1200, height: 700 }));
    await whole();
    await change(() => page.setViewportSize({ width: 1440, height: 900 }));
    await whole();
  });
});

describe('a finished telecommand', () => {
  it('is scrubbed: chart, context and row of the log move together', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`);
    const at = async () => ({
      state: await page.locator('#entity-state').textContent(),
      row: await page.locator('#log [aria-current=step] strong').textContent(),
      hasFrame: (await page.locator('#context').textContent())!.includes('frame'),
      lit: await active(page),
    });
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    await page.locator('#chart .state.active').first().waitFor();
    expect(await at()).toEqual({
      state: 'VERIFIED',
      row: 'VERIFIED',
      hasFrame: true,
      lit: ['telecommand.VERIFIED'],
    });
    await page.locator('#player-position').focus();
    await page.keyboard.press('Home');
    expect(await at()).toMatchObject({ row: 'PENDING', hasFrame: false });
    expect((await at()).lit).toContain('telecommand.PENDING');
    await page.locator('#player-next').click();
    expect(await at()).toMatchObject({ state: 'ENCODED', row: 'ENCODED', hasFrame: true });
    expect(await page.locator('#chart .edge.last text').allTextContents()).toContain('driver.encoded');
    await page.locator('#log button', { hasText: 'SENT' }).click();
    expect(await at()).toMatchObject({ state: 'SENT › verifying', row: 'SENT' });
    expect(await page.locator('#player-text').textContent()).toMatch(/^3\/4 SENT/);
  });

  it('is played from its beginning to its end', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`);
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    // Each step stands for a second: the page keeps what it showed, however late somebody looks.
    await page.evaluate(KEEP_PLAYED);
    await page.locator('#player-play').click();
    const played = (): Promise<string[]> => page.evaluate('window.played');
    await until(async () => (await played()).at(-1) === 'VERIFIED Play', { what: 'the end of the history' });
    expect(await played()).toEqual(['PENDING Pause', 'ENCODED Pause', 'SENT Pause', 'VERIFIED Play']);
  });

  it('is the same after a reload, and in the title', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`);
    await page.locator('#player').waitFor();
    await page.reload();
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    expect(await page.title()).toContain(id);
  });
});

/** Each step that is shown, with what the button says by then. */
const KEEP_PLAYED = `
  window.played = [];
  const log = document.querySelector('#log');
  new MutationObserver(() => {
    const step = log.querySelector('[aria-current=step] strong').textContent;
    window.played.push(step + ' ' + document.querySelector('#player-play').textContent);
  }).observe(log, { subtree: true, attributeFilter: ['aria-current'] });
`;

describe('a quarantined telecommand', () => {
  it('is shown with its reason, resumed by its button in the name of the operator, and goes on', async () => {
    const id = ulid();
    cell.broken.add(`${id}-ENCODED`);
    await submit('obc.ping', id);
    const page = await open();
    const card = page.locator('#trouble li.quarantined', { hasText: id });
    await card.waitFor({ timeout: 40_000 });
    expect(await card.textContent()).toContain('the record of this telecommand cannot be made');
    await card.locator('a').first().click();
    await page.locator('#entity-status', { hasText: 'quarantined' }).waitFor();
    // A process that is slow to answer is said to be silent before all else.
    await page.locator('#entity-note', { hasText: 'cannot be made' }).waitFor();
    await card.getByRole('link', { name: 'supervisor' }).click();
    await page.locator('#chart [data-state="supervisor.running"].active').waitFor();
    await page.locator('#context', { hasText: id }).waitFor();
    await card.locator('a').first().click();
    await page.locator('#entity-supervisor', { hasText: 'executor/kinds/telecommand' }).waitFor();

    cell.broken.clear();
    await card.getByRole('button', { name: 'Resume' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toContain('continues from its record');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await card.waitFor();

    await card.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByLabel('Your name').fill('ada');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await card.waitFor({ state: 'detached' });
    await page.locator('#chart [data-state="telecommand.VERIFIED"].active').waitFor();
    await page.locator('.status').getByRole('button', { name: 'ada' }).waitFor();
  }, 120_000);
});

describe('with the keyboard alone', () => {
  it('an entity is found, opened, scrubbed, listed, and the tree is walked', async () => {
    const id = await finished('obc.ping');
    const page = await open();
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.className');
    await page.keyboard.press('/');
    expect(await focused()).toBe('search-id');
    await page.keyboard.type(id.slice(-10));
    await page.locator('#results a', { hasText: id }).waitFor();
    await page.locator('#results-note', { hasText: /^1 found/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    await page.locator('#chart .state.active').first().waitFor();
    await page.locator('#results a[aria-current=true]', { hasText: id }).waitFor();
    expect(await page.locator('#results a[aria-current=true]').count()).toBe(1);
    await page.keyboard.press(',');
    await page.locator('#log [aria-current=step]', { hasText: 'SENT' }).waitFor();
    await page.keyboard.press('.');
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    await page.keyboard.press('l');
    await page.locator('#states li[aria-current=true]').first().waitFor();
    await page.keyboard.press('t');
    const row = () => page.evaluate('document.activeElement.querySelector(".name").textContent');
    expect(await row()).toBe('bench');
    await page.keyboard.press('ArrowDown');
    expect(await row()).toBe('api');
    await page.keyboard.press('End');
    const last = await row();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await page.locator('#tree [aria-expanded=false]', { hasText: 'bench' }).waitFor();
    expect(await page.locator('#tree [role=treeitem]').count()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    expect(await row()).toBe(last);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#keys-help').waitFor({ state: 'hidden' });
  });

  it('every control is reached by Tab and shows where the focus is; the tree is one stop', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`);
    await page.locator('#player').waitFor();
    await page.locator('#chart .state.active').first().waitFor();
    // What is under way comes and goes: of that one, nothing changes any more.
    await page.locator('#search-id').fill(id);
    await page.locator('#results-note', { hasText: /^1 found/ }).waitFor();
    const seen = new Map<string, string>();
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = (await page.evaluate(FOCUSED)) as [string, string];
      if (seen.has(name)) break;
      seen.set(name, outline);
    }
    const controls = (await page.evaluate(CONTROLS)) as string[];
    expect(controls.filter((name) => !seen.has(name))).toEqual([]);
    expect([...seen.keys()].filter((name) => name === 'treeitem')).toHaveLength(1);
    for (const [name, outline] of seen) if (name !== 'BODY') expect([name, outline]).toEqual([name, 'solid']);
  });
});

/** What has the focus, and how it is outlined. */
const NAME = `const nameOf = (node) => node.getAttribute('role') === 'treeitem' ? 'treeitem' : node.id || node.textContent.trim() || node.tagName;`;
const FOCUSED = `(() => { ${NAME} const node = document.activeElement; return [node === document.body ? 'BODY' : nameOf(node), getComputedStyle(node).outlineStyle]; })()`;
const CONTROLS = `(() => { ${NAME} return [...document.querySelectorAll('button, input, select, #chart, #results a, [role=treeitem][tabindex="0"]')].filter((node) => node.checkVisibility() && !node.disabled).map(nameOf); })()`;

describe('the frame of the console', () => {
  it('frame.F1 stands around it: state of the target, pages, palette; its address keeps target and entity', async () => {
    // There is no archive; and the chart of a telecommand may be asked for before anybody has taken it up.
    const forgiven = /status of (503 .*\/v1\/tc\?|(404|503) .*\/v1\/inspect\/entities\/)/;
    const watched = await openPage(browser, cell.api, { forgiven });
    opened.push(watched);
    const { page } = watched;
    await page.goto(`${cell.api}/#/telecommands?target=sat1`);
    await page.getByText('Every telecommand to sat1 from now on').waitFor();
    const id = await submit('obc.ping');
    await page.locator(`.chain a.why[href$="${id}"]`).click();
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/inspect');
    const status = page.locator('.status');
    expect(await status.textContent()).toMatch(/Target\s+sat1/);
    await status.getByText(/telemetry \d/).waitFor();
    await page.locator('nav [aria-current=page]', { hasText: 'System' }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0);
    await page.reload();
    await page.locator('#log [aria-current=step]', { hasText: 'VERIFIED' }).waitFor();
    expect(page.url()).toContain(`/inspect?target=sat1#telecommand/sat1.${id}`);
    await page.keyboard.press('Control+k');
    await page.locator('#palette-list [role=option]').first().waitFor();
    await page.keyboard.type('page values');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Values of sat1' }).waitFor();
    await page.getByRole('link', { name: 'System' }).click();
    await page.locator('#connection.ok').waitFor();
    expect(page.url()).toMatch(/\/inspect\?target=sat1$/);
  }, 120_000);
});

describe('the look', () => {
  it('follows the system, and the switch where the person chose; the choice outlives a reload', async () => {
    const page = await open('', { theme: 'dark' });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.locator('#theme').click();
    expect(await page.locator('#theme').textContent()).toBe('Theme: light');
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    expect(await ground()).toBe(light);
    // The switch says so once it can be pressed.
    await page.locator('#theme', { hasText: 'Theme: light' }).waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('#theme').click();
    expect(await ground()).toBe(dark);
  });

  it('moves nothing for those who asked for no motion', async () => {
    const id = await finished('obc.ping');
    const page = await open(`#telecommand/sat1.${id}`, { reducedMotion: true });
    await page.locator('#chart .edge.last').first().waitFor();
    await page.keyboard.press(',');
    await page.keyboard.press('.');
    await page.locator('#chart .edge.flash').first().waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });
});
