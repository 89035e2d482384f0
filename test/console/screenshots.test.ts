/**
 * `npm run screenshots`: every page of the console with something on it, at 1440 and 390 px, light and dark, and the
 * main ones at 2560 px and in high contrast, to be looked at, in the folder that `SCREENSHOTS` names. No page is wider
 * than its window.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Schedule } from '../../contract/schedule.ts';
import { until } from '../support/until.ts';
import { launch } from './browser.ts';
import { startOperatorCell } from './operator-page.ts';

const MINUTE = 60_000;
const PATIENTLY = { timeoutMs: 120_000 };
const WIDTHS = [1440, 390] as const;
const THEMES = ['light', 'dark'] as const;
/** What is also taken on a wide screen, and in high contrast. */
const MAIN = ['alarms', 'values', 'telecommands', 'runs', 'passes', 'events', 'system-run'];
/** A page that follows something draws at most five times a second. */
const SETTLED_MS = 2_500;

interface Things {
  readonly run: string;
  readonly tc: string;
}

const folder = process.env['SCREENSHOTS'] ?? '';
/** Beginnings of the names of those that are taken, with commas between them; default all. */
const only = (process.env['SCREENSHOTS_OF'] ?? '').split(',');

it.skipIf(folder === '')(
  'every page fits its window, and there is a picture of it to be looked at',
  async () => {
    mkdirSync(folder, { recursive: true });
    const [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
    try {
      const pages = pagesOf(await filled(cell.mcs.api));
      const wide: string[] = [];
      for (const theme of THEMES)
        for (const width of WIDTHS)
          wide.push(...(await taken(browser, cell.mcs.api, { width, theme, pages })));
      const main = Object.fromEntries(Object.entries(pages).filter(([name]) => MAIN.includes(name)));
      wide.push(...(await taken(browser, cell.mcs.api, { width: 2560, theme: 'light', pages: main })));
      wide.push(
        ...(await taken(browser, cell.mcs.api, { width: 1440, theme: 'dark', isForced: true, pages: main })),
      );
      expect(wide).toEqual([]);
    } finally {
      await browser.close();
      await cell.stop();
    }
  },
  600_000,
);

async function post<Answer>(api: string, path: string, body: object, user = 'ada'): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-mcs-user': user };
  return until(async () => {
    const response = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const said = await response.text();
    if (response.status >= 400 && response.status < 500) throw new Error(`${path}: ${said}`);
    return response.ok && (JSON.parse(said) as Answer);
  }, PATIENTLY);
}

/** A shift that has begun: passes, schedules, telecommands, a run that asks, one that is over, a file. */
async function filled(api: string): Promise<Things> {
  const start = Date.now();
  const at = (minutes: number): string => new Date(start + minutes * MINUTE).toISOString();
  const pass = (id: string, minutes: number, station: string) => ({
    id,
    target: 'sat1',
    station,
    aos: at(minutes),
    los: at(minutes + 12),
    max_elevation: '47 deg',
  });
  const booked = { source: 'provider', status: 'booked' };
  await post(api, '/v1/passes', { ...pass('p1', -3, 'kiruna'), ...booked }, 'station-network');
  await post(api, '/v1/passes', { ...pass('p3', 187, 'kiruna'), ...booked }, 'station-network');
  const predicted = { source: 'fds', status: 'predicted' };
  await post(api, '/v1/passes', { ...pass('p2', 92, 'kiruna'), ...predicted }, 'flight-dynamics');
  const planned = { targets: { sat: 'sat1' }, environment: 'rehearsal' };
  const schedule = { id: 'reboot-p3', pass: 'p3', start: 'aos + 1 min', run: 'reboot_obc', ...planned };
  await post<Schedule>(api, '/v1/schedules', schedule);
  const watchdog = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '61 s' } };
  const { id: tc } = await post<{ id: string }>(api, '/v1/tc', watchdog);
  await post(api, '/v1/tc', { target: 'sat1', telecommand: 'files.list' }).catch(() => undefined);
  await post(api, '/v1/runs', { run: 'health_check', ...planned });
  const { run } = await post<{ run: string }>(api, '/v1/runs', { run: 'ask_level', ...planned });
  return { run, tc };
}

function pagesOf({ run, tc }: Things): Readonly<Record<string, string>> {
  const plot = encodeURIComponent('battery[1].voltage');
  return {
    alarms: '/#/alarms?target=sat1',
    values: `/#/values?target=sat1&first=abnormal&plot=${plot}`,
    telecommands: '/#/telecommands/obc.set_mode?target=sat1',
    runs: `/#/runs/${run}?target=sat1`,
    'runs-start': '/#/runs?target=sat1&start=ops@1.0.0/reboot_obc',
    passes: '/#/passes/p3?target=sat1',
    rules: '/#/passes?target=sat1&view=rules',
    files: '/#/files/2?target=sat1',
    events: '/#/events?target=sat1',
    links: '/#/fleet/links?target=sat1',
    units: '/#/fleet/units?target=sat1',
    connectors: '/#/fleet/connectors?target=sat1',
    simulation: '/#/fleet/simulation?target=sat1',
    system: '/inspect?target=sat1',
    'system-telecommand': `/inspect?target=sat1#telecommand/sat1.${tc}`,
    'system-run': `/inspect?target=sat1#run/${run}`,
  };
}

interface Round {
  readonly width: number;
  readonly theme: 'light' | 'dark';
  /** The colours of the system, as in high contrast. */
  readonly isForced?: boolean;
  readonly pages: Readonly<Record<string, string>>;
}

/** Takes all of them; those that are wider than the window. */
async function taken(
  from: Browser,
  api: string,
  { width, theme, isForced = false, pages }: Round,
): Promise<string[]> {
  const context = await from.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    forcedColors: isForced ? 'active' : 'none',
  });
  const wide: string[] = [];
  for (const [name, path] of Object.entries(pages)) {
    if (!only.some((each) => name.startsWith(each))) continue;
    const page = await context.newPage();
    await page.goto(`${api}${path}`);
    await page.locator('#frame [aria-current=page]').waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await page.screenshot({
      path: join(folder, `${name}-${width}-${isForced ? 'contrast' : theme}.png`),
      fullPage: true,
    });
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) wide.push(`${name} at ${width} px, ${theme}: ${over} px`);
    await page.close();
  }
  await context.close();
  return wide;
}
