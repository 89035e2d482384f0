/**
 * Nothing old looks new on the operator's console: the bus stands still, the front end is killed, the computer of the
 * operator sleeps. Each is shown, and heals by itself. And two people at one run.
 */

import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { operatorMission } from './operator-page.ts';

/** What the browser says of a service that is away on purpose. */
const forgiven = /status of (4\d\d|503)|ERR_|WebSocket connection to/;
const PATIENTLY = { timeoutMs: 40_000 };
const LONG = { timeout: 40_000 };

let folder: string;
let nats: TestNats;
let cell: DemoCell;
let api: Mcs;
/** In front of it, so that its address stays: its port may be taken by others while it is away. */
let relay: Relay;
let browser: Browser;
/** Of the file: those before are over, and their browser ends with it. */
const opened: Watched[] = [];

beforeAll(async () => {
  folder = operatorMission();
  nats = await startNats();
  [cell, api, browser] = await Promise.all([
    startDemoCell({ folder, nats, memberTtlMs: 60_000 }),
    startFrontEnd(),
    launch(),
  ]);
  relay = await startRelay(Number(new URL(api.api).port));
}, 120_000);
afterAll(async () => {
  await browser.close();
  await api.kill();
  await relay.stop();
  await cell.stop();
  await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  expect(opened.flatMap((each) => each.problems)).toEqual([]);
});

const address = (): string => `http://127.0.0.1:${relay.port}`;

function startFrontEnd(): Promise<Mcs> {
  const bus = ['--nats', nats.url, '--credentials', nats.credentialsFile];
  return startMcs({ args: ['serve', '--roles', 'api', '--port', '0', ...bus], readyWithinMs: 120_000 });
}

async function open(fragment: string): Promise<Page> {
  const watched = await openPage(browser, address(), { forgiven });
  opened.push(watched);
  await watched.page.goto(`${address()}/${fragment}`);
  return watched.page;
}

/** A page with values of now. */
async function live(): Promise<Page> {
  const page = await open('#/values?target=sat1');
  await page.locator('.values tbody strong').first().waitFor();
  await until(async () => (await note(page)) === '', PATIENTLY);
  return page;
}

/** What stands at the top of what may be old; empty: nothing. */
async function note(page: Page): Promise<string> {
  return (await page.locator('.stale-note').allTextContents()).join().trim();
}

/** Nothing is marked, and a value was received since. */
async function healed(page: Page): Promise<void> {
  await until(async () => (await note(page)) === '' && (await freshValues(page)) > 0, PATIENTLY);
}

async function freshValues(page: Page): Promise<number> {
  const ages = await page.locator('.values tbody td:last-child').allTextContents();
  return ages.filter((age) => /^[0-2]\.\d s ago/.test(age.trim())).length;
}

describe('what may be old', () => {
  let page: Page;
  beforeAll(async () => {
    page = await live();
  }, 90_000);
  afterAll(() => page.context().close());

  it('is marked while the bus stands still, and live again afterwards', async () => {
    await nats.freeze();
    try {
      await until(async () => /values.*runs|bus does not answer/.test(await note(page)), PATIENTLY);
    } finally {
      nats.thaw();
    }
    await healed(page);
  }, 90_000);

  it('is marked while the front end is killed, and live again once it is started', async () => {
    await api.kill('SIGKILL');
    await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor(LONG);
    expect(await page.evaluate('document.body.className')).toBe('lost');
    api = await startFrontEnd();
    relay.target = Number(new URL(api.api).port);
    await healed(page);
  }, 240_000);

  it('is marked when the computer wakes up, before anything of before its sleep looks new', async () => {
    await page.evaluate(MARKS);
    // The service answers again long before the next frame.
    await page.evaluate(SLOW_FRAMES);
    const session = await page.context().newCDPSession(page);
    await session.send('Debugger.enable');
    const paused = new Promise<void>((resolve) => session.once('Debugger.paused', () => resolve()));
    await session.send('Debugger.pause');
    await paused;
    const asleep = Date.now();
    await until(() => Date.now() - asleep > 5_000);
    await session.send('Debugger.resume');
    await session.send('Debugger.disable');
    await until(async () => (await page.evaluate<string[]>('window.marks')).includes('lost'), PATIENTLY);
    await healed(page);
    await until(async () => (await page.evaluate<string[]>('window.marks')).at(-1) === '', PATIENTLY);
  }, 90_000);
});

/** Keeps how the page marked itself, in order. */
const MARKS = `
  window.marks = [];
  new MutationObserver(() => window.marks.push(document.body.className)).observe(document.body, { attributes: true, attributeFilter: ['class'] });
`;

const SLOW_FRAMES = `
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 700);
`;

describe('two people at one run', () => {
  it('see who suspended it while the other was answering, and why an answer waits', async () => {
    const launchBody = { run: 'ask_level', environment: 'rehearsal', targets: { sat: 'sat1' } };
    const { body } = await call<{ run: string }>('POST', `${api.api}/v1/runs`, launchBody, {
      'x-mcs-user': 'ada',
    });
    const [ada, eve] = [await open(`#/runs/${body.run}`), await open(`#/runs/${body.run}`)];
    for (const [page, name] of [
      [ada, 'ada'],
      [eve, 'eve'],
    ] as const)
      await named(page, name);
    await eve.locator('.question', { hasText: 'Signal level of the downlink?' }).waitFor(LONG);
    await eve.getByRole('textbox', { name: /^answer/ }).fill('12 dB');
    await ada.getByRole('button', { name: 'Suspend' }).click();
    await eve
      .getByText(/suspended by ada|by ada at/)
      .first()
      .waitFor(LONG);
    await eve
      .getByText('ada suspended the run while you were answering: “12 dB” was not sent.')
      .waitFor(LONG);
    await ada
      .getByText(/by ada at/)
      .first()
      .waitFor(LONG);
    await ada.getByRole('button', { name: 'Resume' }).click();
    const answer = eve.getByRole('textbox', { name: /^answer/ });
    await answer.waitFor(LONG);
    expect(await answer.inputValue()).toBe('12 dB');
    await eve.getByRole('button', { name: 'Answer', exact: true }).click();
    await ada.locator('.log li', { hasText: /eve/ }).first().waitFor(LONG);
    await ada.getByText('✓ passed').first().waitFor(LONG);
  }, 90_000);
});

async function named(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'No name given' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name }).waitFor();
}
