/**
 * The page of the bench in a real browser against the real service over the model of a board: what an engineer sees of
 * it and does with it, with the mouse and with keys alone.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';
import { type BenchPageService, startBenchPage } from './bench-page.ts';
import { launch, openPage, type Watched } from './browser.ts';

/** Refusals that are meant, and a service that is away for a while, are not the fault of the page. */
const forgiven = /status of (400|409|503)|net::ERR_|WebSocket connection to/;

let service: BenchPageService;
let browser: Browser;
const opened: Watched[] = [];

beforeAll(async () => {
  [service, browser] = await Promise.all([startBenchPage(), launch()]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});
afterEach(async () => {
  const problems = opened.flatMap((each) => each.problems);
  for (const { page } of opened.splice(0)) await page.context().close();
  expect(problems).toEqual([]);
});

async function open(
  fragment = '',
  options: Parameters<typeof openPage>[2] = {},
  origin = service.url,
): Promise<Page> {
  const watched = await openPage(browser, origin, { forgiven, ...options });
  opened.push(watched);
  await watched.page.goto(`${origin}/${fragment}`);
  await watched.page.locator('#connection.ok').waitFor();
  await read(watched.page);
  await watched.page.locator('#conditions tbody tr').first().waitFor();
  return watched.page;
}

/** The page has read the board, and beside it runs and profiles. */
async function read(page: Page): Promise<void> {
  await page.locator('#source', { hasText: 'stub · mock' }).waitFor();
  await page.locator('#profile-choice option').first().waitFor({ state: 'attached' });
}

async function conditionTo(page: Page, target: 'air' | 'device-loopback' | 'pl-loopback'): Promise<void> {
  await page.locator(`#condition-${target}`).click();
  if (target === 'air') await page.locator('#confirm-go').click();
  await page.locator('#chain-outcome.ok').waitFor();
  await page.locator('#chain-next.ok').waitFor();
}

describe('a cold bench', () => {
  it('is shown as it is, and opening the page changes nothing on it', async () => {
    const page = await open();
    expect(await page.locator('#provider').textContent()).toContain('stub board');
    expect(await page.locator('#profile-name').textContent()).toBe('none applied');
    await page.locator('#emission.warn', { hasText: 'egress closed' }).waitFor();
    expect(await page.locator('#conditions tr[aria-current="step"] th').first().textContent()).toContain(
      'session.profile',
    );
    expect(await page.locator('#conditions tbody tr').count()).toBeGreaterThan(20);
    const kinds = service.world.bench.events.events({ limit: 100 }).map(({ kind }) => kind);
    expect(kinds).toEqual(['board.attached']);
    await page.locator('#newest-event', { hasText: 'board.attached' }).waitFor();
  }, 60_000);

  it('refuses a transmission with the step that is missing, and a malformed packet', async () => {
    const page = await open('#transmit');
    await page.locator('#transmit-hex').fill('xyz');
    await page.locator('#transmit-go').click();
    await page.locator('#transmit-outcome.bad', { hasText: 'Line 1 is not hexadecimal' }).waitFor();
    await page.locator('#transmit-hex').fill('dead beef');
    await page.locator('#transmit-go').click();
    await page.locator('#transmit-outcome.bad', { hasText: 'session.profile' }).waitFor();
  }, 60_000);
});

describe('on a phone, from cold', () => {
  it('says in its own words what is missing, does it with one click, and shows what was received', async () => {
    const cold = await startBenchPage();
    const watched = await openPage(browser, cold.url, { forgiven, width: 390 });
    try {
      const { page } = watched;
      await page.goto(`${cold.url}/#measure`);
      await page.locator('#chain-next.warn').waitFor();
      await read(page);
      await page.locator('#measure-go').click();
      await page.locator('#measure-outcome.bad', { hasText: 'no datapath' }).waitFor();
      expect(await page.locator('#measure-outcome').textContent()).not.toMatch(/\/api\/|POST/);
      await page.locator('#condition-pl-loopback').click();
      await page.locator('#chain-outcome.ok').waitFor();
      await page.locator('#measure-go').click();
      await page.locator('#measure-verdict.ok', { hasText: 'BytePerfect' }).waitFor();
      await page.locator('#tab-frames').click();
      const blocks = page.locator('#frames-list li');
      await blocks.first().waitFor();
      expect(await blocks.count()).toBe(8);
      await blocks.first().locator('summary').click();
      await page.locator('#frames-list pre', { hasText: '0ff0  ' }).waitFor();
      // Nothing is wider than the screen, and work is within reach of a thumb, not behind the table of conditions.
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      const tabs = await page.evaluate<number>(
        'document.getElementById("tabs").getBoundingClientRect().top + scrollY',
      );
      expect(width).toBe(390);
      expect(tabs).toBeLessThan(1_200);
      expect(await page.evaluate(SMALL)).toEqual([]);
      await page.locator('#conditions-all > summary').click();
      const cells = await page.evaluate<number[]>(
        '[...document.querySelectorAll("#conditions tbody td:not(.stage):not(.verdict)")].map((cell) => cell.clientWidth)',
      );
      expect(Math.min(...cells)).toBeGreaterThan(250);
      await page.locator('#frames-purge').click();
      await page.locator('#frames-none').waitFor();
      expect(watched.problems).toEqual([]);
    } finally {
      await watched.page.context().close();
      await cold.stop();
    }
  }, 60_000);
});

describe('the chain', () => {
  it('is repaired by its button with the chosen profile, brought inside the logic, and proven there', async () => {
    const page = await open();
    await page.locator('#profile-choice').selectOption('fast');
    await page.locator('#chain-fix').click();
    // An apply closes the egress: there is nothing to warn of.
    expect(await page.locator('#confirm').isVisible()).toBe(false);
    await page.locator('#profile-name', { hasText: 'fast' }).waitFor();
    await conditionTo(page, 'pl-loopback');
    await page.locator('#emission.ok', { hasText: 'inside the logic' }).waitFor();
    await page.locator('#tab-measure').click();
    await page.locator('#measure-go').click();
    await page.locator('#measure-verdict.ok', { hasText: 'BytePerfect' }).waitFor();
    expect(await page.locator('#measure-overall').textContent()).toBe('100 %');
    expect(await page.locator('#measure-bars rect.whole').count()).toBe(8);
    expect(await page.locator('#measure-table tbody tr').count()).toBe(8);
    await page.locator('#conditions tr.met', { hasText: 'proof.loopback' }).waitFor();
  }, 60_000);

  it('goes to the air only when that is confirmed, and then says loudly that it emits', async () => {
    const page = await open();
    await page.locator('#condition-air').click();
    await page.locator('#confirm-cancel').click();
    expect(await page.locator('#emission').textContent()).not.toContain('Emits');
    await conditionTo(page, 'air');
    await page.locator('#emission.bad', { hasText: 'Emits at the connector' }).waitFor();
    await page.locator('#timing-lock.ok').waitFor();
    await page.locator('#chain-target').selectOption('pl-loopback');
    await page.locator('#chain-next-title', { hasText: 'First for logic loopback' }).waitFor();
    await page.locator('#emission.bad', { hasText: 'Emits at the connector' }).waitFor();
  }, 60_000);

  it('reports what each condition breaks when it is asked to', async () => {
    const page = await open();
    const breaks = page.locator('#conditions .breaks').filter({ visible: true });
    await page.locator('#chain-explain').click();
    expect(await breaks.count()).toBe(await page.locator('#conditions tbody tr').count());
    await page.locator('#chain-explain').click();
    expect(await breaks.count()).toBeLessThanOrEqual(1);
  }, 60_000);
});

describe('the radio', () => {
  it('is tuned, is then changed by hand, and says what it refuses and why', async () => {
    const page = await open('#radio');
    await page.locator('#tune-frequency').fill('7000');
    await page.locator('#tune-form button').click();
    await page.locator('#radio-outcome.bad').waitFor();
    expect(await page.locator('#radio-outcome').textContent()).toMatch(/7000000000|6000000000/);
    await page.locator('#tune-frequency').fill('about 2400');
    await page.locator('#tune-form button').click();
    await page.locator('#radio-outcome.bad', { hasText: 'a number of MHz' }).waitFor();
    await page.locator('#tune-frequency').fill('2 400.1');
    await page.locator('#tune-form button').click();
    await page.locator('#radio-outcome.ok', { hasText: 'tuned both' }).waitFor();
    await page.locator('#profile-dirty', { hasText: 'POST /api/v1/radio/frequency' }).waitFor();
  }, 60_000);

  it('asks before the level at the connector is raised, and sets a gain that cannot disturb at once', async () => {
    const page = await open('#radio');
    await page.locator('#gain-rx').fill('30');
    await page.locator('#gain-form button').click();
    await page.locator('#radio-outcome.ok', { hasText: 'receiver 30 dB' }).waitFor();
    await page.locator('#gain-tx').fill('-20');
    await page.locator('#gain-form button').click();
    await page.locator('#confirm[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#confirm').waitFor({ state: 'hidden' });
    expect(await page.locator('#gain-tx').inputValue()).toBe('-20');
    await page.locator('#gain-tx').fill('5');
    await page.locator('#gain-form button').click();
    await page.locator('#confirm-go').click();
    await page.locator('#radio-outcome.bad').waitFor();
  }, 60_000);
});

describe('the signal', () => {
  it('is seen with its sequence and source, is paused, and is let go while the page is hidden', async () => {
    const watched = await openPage(browser, service.url, { forgiven });
    opened.push(watched);
    const sockets: { isClosed(): boolean }[] = [];
    watched.page.on('websocket', (socket) => sockets.push(socket));
    await watched.page.goto(`${service.url}/`);
    const { page } = watched;
    for (const feed of ['spectrum', 'constellation', 'eye']) {
      await page.locator(`#${feed}-note`, { hasText: /stub #\d+ · \d+ dropped/ }).waitFor();
    }
    await page.locator('#spectrum[aria-label*="strongest"]').waitFor();
    await page.locator('#constellation[aria-label*="qpsk"]').waitFor();
    expect(sockets).toHaveLength(3);
    await page.locator('#signal-pause').click();
    await page.locator('#eye-note', { hasText: 'paused' }).waitFor();
    await until(() => sockets.every((socket) => socket.isClosed()), { what: 'sockets to close' });
    await page.locator('#signal-pause').click();
    await page.locator('#eye-note', { hasText: 'dropped' }).waitFor();
    await page.evaluate(SEEN(false));
    await until(() => sockets.length === 6 && sockets.every((socket) => socket.isClosed()));
    await page.evaluate(SEEN(true));
    await until(() => sockets.length === 9, { what: 'sockets to open again' });
    await page.locator('#eye-note', { hasText: 'dropped' }).waitFor();
  }, 60_000);
});

const SEEN = (isSeen: boolean): string => `
  Object.defineProperty(document, 'visibilityState', { value: '${isSeen ? 'visible' : 'hidden'}', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
`;

describe('runs', () => {
  it('of a campaign are started and followed to their waterfall, and lead to the report of their scenario', async () => {
    const page = await open('#campaigns');
    await page.locator('#campaign-choice option').first().waitFor({ state: 'attached' });
    await page.locator('#campaign-start').click();
    await page.locator('#campaign-outcome.ok', { hasText: 'fall started' }).waitFor();
    await page.locator('#campaign-status', { hasText: '3 of 3 steps' }).waitFor({ timeout: 40_000 });
    expect(await page.locator('#attempts tbody tr').count()).toBe(3);
    await page.locator('#rates-plot canvas').waitFor();
    expect(await page.locator('#rates-table tbody tr').count()).toBe(6);
    expect(await page.locator('#rates-note').textContent()).toContain('theory of QPSK');
    await page.locator('#attempts button', { hasText: 'Report' }).click();
    await page.locator('#report-banner.ok', { hasText: 'Passed, verified on the link' }).waitFor();
    expect(await page.locator('#report-text').textContent()).toContain('model of a board');
    expect(await page.locator('#assertions tbody tr').count()).toBe(2);
    expect(await page.locator('#samples canvas').count()).toBe(2);
    expect(await page.locator('#timeline tbody tr').count()).toBeGreaterThan(1);
  }, 90_000);

  it('of a scenario are started, hold the board against everybody else, and are ended by the person', async () => {
    const page = await open('#scenarios');
    await page.locator('#scenario-choice option').first().waitFor({ state: 'attached' });
    expect(await page.locator('#scenario-cancel').isDisabled()).toBe(true);
    await page.locator('#scenario-choice').selectOption('long');
    await page.locator('#scenario-start').click();
    await page.locator('#scenario-outcome.ok', { hasText: 'long started' }).waitFor();
    await page.locator('#holder', { hasText: 'scenario long' }).waitFor();
    await page.locator('#chain-recover').click();
    await page.locator('#chain-outcome.bad').waitFor();
    await page.locator('#scenario-start').click();
    await page.locator('#scenario-outcome.bad').waitFor();
    await page.locator('#scenario-cancel').click();
    await page.locator('#scenario-outcome.ok', { hasText: 'asked to stop' }).waitFor();
    await page.locator('#scenario-active', { hasText: 'No scenario is running.' }).waitFor();
    await page.locator('#tab-reports').click();
    await page.locator('#report-choice option', { hasText: 'long' }).waitFor({ state: 'attached' });
    await page.locator('#report-choice').selectOption({ index: 0 });
    await page.locator('#report-banner.warn', { hasText: 'cancelled' }).waitFor();
    expect(await page.locator('#report-text').textContent()).toContain('Neither verdict applies');
  }, 60_000);
});

describe('without its service', () => {
  it('the page says since when, marks what it shows as old, and comes back automatically', async () => {
    // In front of it, so that its address stays.
    const relay = await startRelay(Number(new URL(service.url).port));
    try {
      const page = await open('', {}, `http://127.0.0.1:${relay.port}`);
      relay.refusing = true;
      await service.closeFrontEnd();
      await page.locator('#connection.bad', { hasText: 'connection lost' }).waitFor();
      expect(await page.locator('#stale').textContent()).toMatch(/has not answered since \d\d:\d\d:\d\dZ/);
      await page.locator('body.stale').waitFor();
      expect(await page.locator('#conditions tbody tr').count()).toBeGreaterThan(10);
      await service.openFrontEnd();
      relay.target = Number(new URL(service.url).port);
      relay.refusing = false;
      await page.locator('#connection.ok').waitFor();
      expect(await page.locator('#stale').isVisible()).toBe(false);
      await page.locator('#eye-note', { hasText: 'dropped' }).waitFor();
    } finally {
      await relay.stop();
    }
  }, 120_000);

  it('the page does not claim to know the board when that is lost', async () => {
    const page = await open();
    service.world.away = true;
    service.world.board().lose('the cable is out');
    await page.locator('#emission.bad', { hasText: 'may emit' }).waitFor();
    service.world.away = false;
    await page.locator('#emission', { hasNotText: 'may emit' }).waitFor();
  }, 90_000);
});

describe('with keys alone', () => {
  it('every control is reached and shows where the focus is; the tabs are one stop with arrows', async () => {
    const page = await open('#radio');
    const reached: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab');
      const at = (await page.evaluate(FOCUS)) as { id: string; outline: string } | null;
      if (at === null) break;
      if (reached.includes(at.id)) break;
      reached.push(at.id);
      expect(at.outline, at.id).not.toBe('none');
    }
    for (const id of ['theme', 'chain-target', 'profile-apply', 'condition-air', 'signal-pause', 'tab-radio'])
      expect(reached).toContain(id);
    expect(reached).not.toContain('tab-measure');
    await page.locator('#tab-radio').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#panel-measure').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('tab-measure');
    await page.keyboard.press('End');
    await page.locator('#panel-reports').waitFor();
    expect(page.url()).toContain('#reports');
  }, 60_000);
});

const FOCUS = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  return { id: at.id || at.tagName + at.textContent.slice(0, 20), outline: getComputedStyle(at).outlineStyle };
})()`;

/** Controls that a finger misses; a box to tick is hit by its label as well. */
const SMALL = `[...document.querySelectorAll('button, select, summary, input')].filter((node) => node.checkVisibility() && (node.closest('label') ?? node).getBoundingClientRect().height < 24).map((node) => node.id || node.textContent)`;

describe('the look', () => {
  it.each([
    [1440, 'light'],
    [900, 'light'],
    [900, 'dark'],
    [480, 'dark'],
  ] as const)(
    'at %i pixels, %s, nothing is wider than the screen',
    async (width, theme) => {
      const page = await open('#transmit', { theme });
      await page.setViewportSize({ width, height: 900 });
      // Pictures have the new width a frame later.
      const [inner, widest] = ['innerWidth', 'document.documentElement.scrollWidth'];
      await until(async () => (await page.evaluate<number>(inner)) === width, { what: 'another width' });
      const fits = async (): Promise<boolean> => (await page.evaluate<number>(widest)) <= width;
      await until(fits, { what: `nothing to be wider than ${width} pixels` });
    },
    60_000,
  );

  it('in high contrast, marks the chosen tab and the condition that is next, and no other', async () => {
    const page = await open('#transmit');
    await page.emulateMedia({ forcedColors: 'active' });
    const underlines = await page.evaluate<Record<string, string>>(UNDERLINES);
    expect(underlines['transmit']).not.toBe(underlines['radio']);
    expect(new Set(Object.values(underlines)).size).toBe(2);
    await page.locator('#chain-target').selectOption('air');
    await page.locator('#conditions tr.next').first().waitFor();
    expect(await page.evaluate(OUTLINED_ROWS)).toBe(1);
  }, 60_000);

  it('stays where it is while numbers change', async () => {
    const page = await open('#radio');
    // Each picture has a socket of its own.
    for (const feed of ['spectrum', 'constellation', 'eye'])
      await page.locator(`#${feed}-note`, { hasText: 'dropped' }).waitFor();
    await page.evaluate(SHIFTS);
    const seen = async (): Promise<number> =>
      Number(/#(\d+)/.exec((await page.locator('#spectrum-note').textContent()) ?? '')?.[1]);
    const from = await seen();
    await until(async () => (await seen()) > from + 30);
    expect(await page.evaluate('window.shifts')).toEqual([]);
  }, 60_000);
});

const UNDERLINES = `Object.fromEntries([...document.querySelectorAll('.tabs button')].map((tab) => [tab.dataset.tab, getComputedStyle(tab).borderBottomColor]))`;
const OUTLINED_ROWS = `[...document.querySelectorAll('#conditions tbody tr')].filter((row) => getComputedStyle(row).outlineStyle === 'solid').length`;

const SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      window.shifts.push(entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName));
  }).observe({ type: 'layout-shift' });
`;
