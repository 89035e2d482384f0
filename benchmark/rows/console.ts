/**
 * The console in a browser: what a watched value costs the page, beside a bare table and a bare uPlot that are fed the
 * same texts at the same pace. Processor time is that of the thread of the page; painting has threads of its own, which
 * are not in it.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { CHROMIUM, launch } from '../../test/console/browser.ts';
import { heapOf } from '../../test/console/page-work.ts';
import { BARE_PLOT, BARE_PLOT_SCRIPT, BARE_TABLE, CATALOGUE, FEED, PLOTTED } from '../console-documents.ts';
import { compiledDemo } from '../demo-mission.ts';
import { type Contender, compare, type Result, type Row, type Settings, type Turn } from '../row.ts';
import { onGround } from '../with-peers.ts';

const MEASURES = CATALOGUE.components[0]!.measures.length;
/** Values a second: every measure once, and a plot of quick measures. */
const TABLE_RATE = 5_000;
const PLOT_RATE = 200;
/** All that a page asks, and no spacecraft: the feed is all that is received. */
const ROLES = ['api', 'executor', 'telemetry', 'alarms'];
const GIGABYTE = 1e9;
/** Heap after a collection hardly varies. */
const MEMORY_ROUNDS = 2;

export function noChromium(): string | undefined {
  return existsSync(CHROMIUM)
    ? undefined
    : `there is no Chromium at ${CHROMIUM} (CHROMIUM names another place)`;
}

export const consoleRow: Row = {
  name: 'console',
  async run(settings) {
    const missing = noChromium();
    if (missing !== undefined) console.log(`console: skipped, ${missing}\n`);
    return missing === undefined ? measured(settings) : [];
  },
};

interface Place {
  readonly browser: Browser;
  readonly origin: string;
}

async function measured(settings: Settings): Promise<Result[]> {
  return onGround(async ({ address, bus }, start) => {
    await publishConfiguration(bus, await compiledDemo());
    const service = await start('service');
    const origin = await service.call<string>('start', { address, roles: ROLES });
    const browser = await launch();
    try {
      const place = { browser, origin };
      return [await table(place, settings), await plot(place, settings), await memory(place, settings)];
    } finally {
      await browser.close();
    }
  });
}

async function table(place: Place, settings: Settings): Promise<Result> {
  const of = (name: string, page: Page) =>
    fed(name, page, { measures: MEASURES, rate: TABLE_RATE }, settings);
  return compare(
    {
      row: 'console.values',
      unit: 'values/s',
      note: `${MEASURES} measures, each once a second, drawn five times a second as the rows in sight`,
      contenders: [
        await of('console', await consolePage(place, '#/values?target=sat1&first=abnormal')),
        await of('bare table', await barePage(place, BARE_TABLE)),
      ],
    },
    settings,
  );
}

async function plot(place: Place, settings: Settings): Promise<Result> {
  const of = (name: string, page: Page) => fed(name, page, { measures: PLOTTED, rate: PLOT_RATE }, settings);
  const names = Array.from({ length: PLOTTED }, (_, n) => `big.m${n}`).join(',');
  const ours = await consolePage(place, `#/values?target=sat1&find=big.m0&plot=${encodeURIComponent(names)}`);
  await ours.locator('.plot canvas').waitFor();
  const bare = await barePage(place, BARE_PLOT);
  await bare.addScriptTag({ path: createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js') });
  await bare.addScriptTag({ content: BARE_PLOT_SCRIPT });
  return compare(
    {
      row: 'console.plot',
      unit: 'values/s',
      note: `${PLOTTED} measures plotted live, ${PLOT_RATE / PLOTTED} samples a second of each, drawn five times a second`,
      contenders: [await of('console', ours), await of('bare uPlot', bare)],
    },
    settings,
  );
}

/** What a page has more with all measures watched than before any value of them came, catalogue included. */
async function memory(place: Place, settings: Settings): Promise<Result> {
  const ours = await consolePage(place, '#/values?target=sat1', 0);
  const bare = await barePage(place, BARE_TABLE);
  const contender = async (name: string, page: Page, watch: () => Promise<unknown>): Promise<Contender> => {
    const before = await heapOf(page);
    await watch();
    return { name, turn: () => kept(page, before) };
  };
  return compare(
    {
      row: 'console.heap',
      unit: 'watched values/GB',
      note: `${MEASURES} measures with five samples each, heap after a collection less that of the page without any`,
      contenders: [
        await contender('console', ours, async () => {
          await catalogueOf(ours, CATALOGUE);
          await ours.reload();
          await ours.locator('.values tbody tr', { hasText: 'big.m' }).first().waitFor();
          await everyMeasure(ours);
        }),
        await contender('bare table', bare, () => everyMeasure(bare)),
      ],
    },
    { ...settings, rounds: Math.min(settings.rounds, MEMORY_ROUNDS) },
  );
}

const everyMeasure = (page: Page): Promise<unknown> => page.evaluate(`feed(${MEASURES}, 25000, 1100)`);

async function kept(page: Page, before: number): Promise<Turn> {
  const bytes = ((await heapOf(page)) - before) / MEASURES;
  return { rate: GIGABYTE / bytes, cpuUs: Number.NaN };
}

async function consolePage({ browser, origin }: Place, fragment: string, measures = MEASURES): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(FEED);
  const [component] = CATALOGUE.components;
  const few = { ...component!, measures: component!.measures.slice(0, Math.max(1, measures)) };
  await catalogueOf(page, { ...CATALOGUE, components: [few] });
  await page.goto(`${origin}/${fragment}`);
  await page.locator('.values tbody tr', { hasText: 'big.m' }).first().waitFor();
  return page;
}

async function catalogueOf(page: Page, catalogue: object): Promise<void> {
  await page.unroute('**/catalogue');
  await page.route('**/catalogue', (route) => route.fulfill({ json: catalogue }));
}

async function barePage({ browser, origin }: Place, document: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(FEED);
  await page.route('**/bare', (route) => route.fulfill({ contentType: 'text/html', body: document }));
  await page.goto(`${origin}/bare`);
  return page;
}

interface Feed {
  readonly measures: number;
  readonly rate: number;
}

async function fed(
  name: string,
  page: Page,
  { measures, rate }: Feed,
  { roundMs }: Settings,
): Promise<Contender> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpuUs = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'TaskDuration')!.value * 1e6;
  };
  return {
    name,
    async turn() {
      await page.bringToFront();
      const [before, began] = [await cpuUs(), performance.now()];
      const values = await page.evaluate<number>(`feed(${measures}, ${rate}, ${roundMs})`);
      const seconds = (performance.now() - began) / 1_000;
      return { rate: values / seconds, cpuUs: ((await cpuUs()) - before) / values };
    },
  };
}
