/**
 * `npm run day`: a shift of eight hours before one page of the console, in as many minutes as `DAY_MINUTES` says. The
 * spacecraft reports a hundred times as often as it does, alarms come and go, telecommands and runs leave, and somebody
 * goes from page to page. Heap and tasks of the page stay bounded, and no value that is old looks new.
 */

import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { CUBESAT_3U } from '../../links/simulated/designs.ts';
import type { ModelOptions } from '../../links/simulated/peer.ts';
import { createSpacecraft, type Spacecraft } from '../../links/simulated/spacecraft.ts';
import type { Clock } from '../../ports/clock.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';
import { launch, openPage } from './browser.ts';
import { heapOf } from './page-work.ts';

const MINUTES = Number(process.env['DAY_MINUTES'] ?? 0);
const FASTER = 100;
const MINUTE_MS = 60_000;
/** Reports of a minute: the computer every second, batteries every two, power every five. */
const REPORTS_A_MINUTE = 60 + 30 + 12;
/** The last round may take longer than was asked for. */
const SPARE_MS = 2 * 60 * MINUTE_MS;
const PATIENTLY = { timeoutMs: 60_000 };
/** Longest task of the page's thread, in processor time. */
const LONGEST_MS = 50;
/** One object for each value that is kept by mistake would be hundreds of megabytes. */
const HEAP_GROWN = 8e6;
const PAGE_MS = 1_500;
const TRACED_MS = 2_000;
const ADA = { 'x-mcs-user': 'ada' };

const PAGES = [
  'values?target=sat1&first=abnormal&stale=10%20s&span=1%20d&plot=obc.temperature,battery%5B1%5D.voltage',
  'alarms?target=sat1',
  'telecommands/obc.ping?target=sat1',
  'runs?target=sat1',
  'passes?target=sat1',
  'files?target=sat1',
  'events?target=sat1',
  'fleet/links?target=sat1',
] as const;

let packets = 0;

it.skipIf(MINUTES === 0)(
  'a day compressed: heap and tasks of the page are bounded, and nothing stale is unmarked',
  async () => {
    const [cell, browser] = await Promise.all([startDemoCell({ spacecraft: hurried }), launch()]);
    try {
      await day(cell, browser);
    } finally {
      await browser.close();
      await cell.stop();
    }
  },
  (MINUTES + 5) * MINUTE_MS,
);

/**
 * The first spacecraft at a hundred times: its clock begins hours ago and reaches the present at the end, as if a day
 * were played back. The other one as it is.
 */
function hurried(options: ModelOptions): Spacecraft {
  const { clock, gateway } = options;
  if (gateway !== 'sim-1') return createSpacecraft(options, CUBESAT_3U);
  const began = clock.now();
  const craft = createSpacecraft({
    ...options,
    clock: faster(clock, began - MINUTES * MINUTE_MS * FASTER - SPARE_MS),
  });
  const { onDownlink } = craft;
  craft.onDownlink = (listener) =>
    onDownlink.call(craft, (packet) => {
      packets += 1;
      listener(packet);
    });
  return craft;
}

function faster(clock: Clock, from: number): Clock {
  const [wall, still] = [clock.now(), clock.monotonic()];
  return {
    now: () => from + (clock.now() - wall) * FASTER,
    monotonic: () => still + (clock.monotonic() - still) * FASTER,
    setTimeout: (fire, delayMs) => clock.setTimeout(fire, delayMs / FASTER),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
}

async function day(cell: DemoCell, browser: Browser): Promise<void> {
  const { page, problems } = await openPage(browser, cell.api, { forgiven: /status of (4\d\d|503)/ });
  await page.goto(`${cell.api}/#/${PAGES[0]}`);
  await page.locator('.values tbody strong').first().waitFor();
  const [began, before] = [Date.now(), packets];
  const heaps: number[] = [];
  const unmarked: string[] = [];
  let [longest, rounds] = [0, 0];
  while (Date.now() - began < MINUTES * MINUTE_MS) {
    const isDrained = rounds % 2 === 1;
    await cell.fault('cell_drain', isDrained);
    await work(cell, rounds);
    for (const fragment of PAGES) {
      await page.evaluate(`location.hash = '#/${fragment}'`);
      await page.waitForTimeout(PAGE_MS);
    }
    await page.evaluate(`location.hash = '#/${PAGES[0]}'`);
    await page.locator('.values tbody strong').first().waitFor();
    if (rounds % 4 === 3) await silence(cell, page, unmarked);
    unmarked.push(...(await page.evaluate<string[]>(UNMARKED)));
    longest = Math.max(longest, await longestTask(browser, page));
    heaps.push(await heapOf(page));
    rounds += 1;
  }
  const flown = packets - before;
  console.log(
    `${rounds} rounds, ${flown} packets, heap ${heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')} MB, longest task ${longest.toFixed(1)} ms of processor time`,
  );
  expect(problems).toEqual([]);
  expect(unmarked).toEqual([]);
  expect(longest).toBeLessThan(LONGEST_MS);
  expect(heaps.at(-1)! - heaps[1]!).toBeLessThan(HEAP_GROWN);
  // A machine that is busy with others keeps the spacecraft from hurrying: ten times at least.
  expect(flown).toBeGreaterThan(REPORTS_A_MINUTE * MINUTES * 10);
}

/** What a shift sends: a telecommand and a run. Refusals of a moment are not what this is about. */
async function work({ api }: DemoCell, round: number): Promise<void> {
  const tc = { target: 'sat1', telecommand: 'obc.ping' };
  await call('POST', `${api}/v1/tc`, tc, ADA);
  const run = { run: 'health_check', environment: 'bench', targets: { sat: 'sat1' } };
  if (round % 3 === 0) await call('POST', `${api}/v1/runs`, run, ADA);
}

/** No telemetry for longer than what counts as stale: everything is marked, and nothing once it is back. */
async function silence(cell: DemoCell, page: Page, unmarked: string[]): Promise<void> {
  const words = page.locator('main p[role=status]').first();
  await cell.fault('tm_silence', true);
  try {
    await until(async () => {
      unmarked.push(...(await page.evaluate<string[]>(UNMARKED)));
      return /([2-9]|\d\d) stale/.test((await words.textContent()) ?? '');
    }, PATIENTLY);
    await until(
      async () => (await page.locator('.status .warn', { hasText: 'telemetry' }).count()) > 0,
      PATIENTLY,
    );
  } finally {
    await cell.fault('tm_silence', false);
  }
  await until(
    async () => (await page.locator('.status .warn', { hasText: 'telemetry' }).count()) === 0,
    PATIENTLY,
  );
}

/** Rows in sight whose age is beyond what counts as stale (10 s) and that do not say so. */
const UNMARKED = `[...document.querySelectorAll('.values tbody tr[aria-rowindex]')].flatMap((row) => {
  const age = row.lastElementChild.textContent.trim();
  const seconds = /^([\\d.]+) s ago$/.exec(age)?.[1];
  const isOld = seconds === undefined ? / (min|h|d) /.test(age) : Number(seconds) > 10;
  return isOld && !row.classList.contains('stale') ? [row.textContent.trim()] : [];
})`;

/** Of the page's thread in a while, ms of processor time. */
async function longestTask(browser: Browser, page: Page): Promise<number> {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel'] });
  await page.waitForTimeout(TRACED_MS);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[];
  };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ pid, tid, tdur }) => tdur !== undefined && threads.has(`${pid} ${tid}`),
  );
  return Math.max(0, ...tasks.map(({ tdur }) => tdur! / 1_000));
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread, us. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}
