/**
 * Passes and files in the operator's console, in a real browser against a real process: a schedule made by keyboard
 * alone, one dropped into a pass and validated, rules, a file brought down and saved, one written by its procedure.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OnboardDirectory } from '../../contract/onboard-file.ts';
import type { Schedule } from '../../contract/schedule.ts';
import { call } from '../support/client.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { loseFirstAnswer } from './lost-answer.ts';
import { findings, type OperatorCell, seeChart, startOperatorCell } from './operator-page.ts';

const PATIENTLY = { timeoutMs: 60_000 };
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const START = Date.now();
/** A low orbit over one station for a year: what one snapshot holds. */
const YEAR = 5_000;
/**
 * What the browser says of a request that is refused on purpose, and of a bus that a busy machine keeps from answering:
 * the page asks again.
 */
const forgiven = /status of (4\d\d|503)|response code: 503/;

let cell: OperatorCell;
let browser: Browser;
const opened: Watched[] = [];

const at = (minutes: number): string => new Date(START + minutes * MINUTE).toISOString();

/** A pass of twelve minutes over Kiruna. */
const pass = (id: string, minutes: number, target = 'sat1') => ({
  id,
  target,
  station: 'kiruna',
  aos: at(minutes),
  los: at(minutes + 12),
  max_elevation: '47 deg',
  source: 'fds',
  status: 'predicted',
});

/** Asked again while the bus does not answer, as a person would. */
async function post(path: string, user: string, body?: object): Promise<void> {
  const answer = await until(async () => {
    const said = await call('POST', `${cell.mcs.api}${path}`, body, { 'x-mcs-user': user });
    return said.status !== 503 && said;
  }, PATIENTLY);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

beforeAll(async () => {
  [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
  const passes = [pass('first', 60), pass('second', 180), pass('third', 300)];
  await post('/v1/passes/replace_window', 'flight-dynamics', {
    source: 'fds',
    target: 'sat1',
    from: at(0),
    to: at(1_440),
    passes,
  });
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

async function open(fragment: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const watched = await openPage(browser, cell.mcs.api, { forgiven, ...options });
  opened.push(watched);
  await watched.page.addInitScript("localStorage.setItem('mcs.user', 'ada')");
  await watched.page.goto(`${cell.mcs.api}/${fragment}`);
  await watched.page.locator('nav [aria-current=page]').waitFor();
  return watched.page;
}

const schedule = async (id: string): Promise<Schedule> =>
  (await call<Schedule>('GET', `${cell.mcs.api}/v1/schedules/${id}`)).body;

const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.textContent.trim() || document.activeElement.id');
const tabTo = (page: Page, name: RegExp): Promise<unknown> =>
  until(async () => {
    await page.keyboard.press('Tab');
    return name.test(await focused(page));
  }, PATIENTLY);

describe('the passes', () => {
  it('are gone through on the timeline, and one gets a schedule, by keyboard alone', async () => {
    const page = await open('#/passes?target=sat1');
    await page.locator('.passes tbody tr', { hasText: 'predicted' }).first().waitFor();
    await page.getByRole('group', { name: /^Timeline of passes/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#pass-words', { hasText: 'Selected: sat1 over kiruna, AOS in 5' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('#pass-title', { hasText: 'second' }).waitFor();
    await until(() => page.url().includes('/passes/second'));
    await page.keyboard.press('Enter');
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'schedule-procedure');
    // One letter finds it: of a word, a busy machine may take letters for the beginnings of two.
    await page.keyboard.type('h');
    await page.locator('#schedule-identifier').waitFor();
    await tabTo(page, /^schedule-start after AOS$/);
    await page.keyboard.type('11 min');
    await tabTo(page, /^Review…$/);
    await page.keyboard.press('Enter');
    await page.locator('#schedule-review', { hasText: /aos \+ 11 min = .*, 1 min 0 s before LOS/ }).waitFor();
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'schedule-review');
    await tabTo(page, /^Create the schedule$/);
    await page.keyboard.press('Enter');
    // It would not be over before LOS: the refusal stands beside the button, and nothing that was typed is lost.
    await page.locator('.planned .refusal', { hasText: 'schedule::refused' }).waitFor();
    await page.locator('#schedule-review').focus();
    await tabTo(page, /^Back to the form$/);
    await page.keyboard.press('Enter');
    await page.locator('[id="schedule-start after AOS"]').fill('1 min');
    await tabTo(page, /^Review…$/);
    await page.keyboard.press('Enter');
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'schedule-review');
    await tabTo(page, /^Create the schedule$/);
    await page.keyboard.press('Enter');
    await page
      .locator('.schedule', { hasText: /◷ scheduled\s+health_check-second\s+by ada/ })
      .waitFor({ timeout: 60_000 });
    await page.locator('.schedule', { hasText: 'over at the latest 6 min 56 s before LOS' }).waitFor();
    expect(await schedule('health_check-second')).toMatchObject({ pass: 'second', start: 'aos + 1 min' });
    expect(await findings(page)).toEqual([]);
  }, 150_000);

  it('take a procedure that is dropped into them; it is validated, and falls when the pass moves', async () => {
    const time = new URLSearchParams({ from: at(290), to: at(320) });
    const page = await open(`#/passes/third?target=sat1&${time}`, { theme: 'dark' });
    await page.locator('#pass-title', { hasText: 'third' }).waitFor();
    // What is said above the timeline until all is live would move it under the pointer when it goes.
    await until(async () => (await page.getByText('Not live at the moment').count()) === 0, PATIENTLY);
    const canvas = page.locator('.timeline canvas');
    const { width } = (await canvas.boundingBox())!;
    // Lanes begin at 96 dots, the first at 24: six minutes behind AOS.
    const x = 96 + (16 / 30) * (width - 96);
    await page
      .locator('.draggable', { hasText: 'reboot_obc' })
      .dragTo(canvas, { targetPosition: { x, y: 42 } });
    await page.locator('#schedule-identifier').waitFor();
    expect(await page.locator('[id="schedule-start after AOS"]').inputValue()).toMatch(/^3(5[89]|6[012]) s$/);
    await page.locator('[id="schedule-start after AOS"]').fill('30');
    await page.locator('#schedule-environment').selectOption('rehearsal');
    await page.getByRole('button', { name: 'Review…' }).click();
    await page.getByRole('button', { name: 'Create the schedule' }).click();
    const card = page.locator('.schedule', { hasText: 'reboot_obc-third' });
    await card.getByText('△ at risk').waitFor();
    await card.getByText('needs the validation of a supervisor').waitFor();
    await card.getByRole('button', { name: 'Validate as supervisor' }).click();
    await card.getByText('◷ scheduled').waitFor({ timeout: 60_000 });
    await card.getByText(/^Validated by ada at/).waitFor();
    expect(await card.locator('tr.differs').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    await post('/v1/passes', 'flight-dynamics', { ...pass('third', 301), los: at(313) });
    await card.getByText(/the validation by ada fell: AOS is/).waitFor({ timeout: 60_000 });
    await card.getByText(/^Does not hold any more: validated by ada/).waitFor();
    // The pass and its schedule come by two ways.
    const differing = card.locator('tr.differs th');
    await until(async () => (await differing.allTextContents()).join() === 'AOS,LOS', PATIENTLY);
    await card.getByRole('button', { name: 'Cancel…' }).click();
    await card.getByRole('button', { name: 'Cancel reboot_obc-third now' }).click();
    await card.getByText('○ cancelled').waitFor({ timeout: 60_000 });
    expect((await schedule('reboot_obc-third')).state).toBe('cancelled');
    await seeChart(card, { id: 'reboot_obc-third', state: /^schedule\.cancelled$/ });
  }, 150_000);

  it('are scheduled by a rule that says what it matched and made, and that is removed', async () => {
    const page = await open('#/passes?target=sat1&view=rules');
    await page.getByRole('button', { name: 'Add a rule for sat1…' }).click();
    await page.getByLabel('procedure', { exact: true }).selectOption('ops@1.0.0/health_check');
    await page.locator('[id="rule-least elevation"]').fill('high');
    await page.getByRole('button', { name: 'Review…' }).click();
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await page.locator('.planned .refusal').waitFor();
    await page.getByRole('button', { name: 'Back to the form' }).click();
    await page.locator('[id="rule-least elevation"]').fill('40 deg');
    await page.getByRole('button', { name: 'Review…' }).click();
    await page.locator('#rule-review', { hasText: 'of each pass of sat1: at least 40 deg' }).waitFor();
    await page.getByRole('button', { name: 'Add the rule' }).click();
    const rule = page.locator('.rules li', { hasText: 'health_check-each-pass' });
    await rule.getByText('✓ 3 created').waitFor({ timeout: 60_000 });
    expect(await findings(page)).toEqual([]);
    await rule.getByRole('button', { name: 'Remove' }).click();
    await rule.getByRole('button', { name: 'Remove health_check-each-pass now' }).click();
    await rule.waitFor({ state: 'detached' });
    expect((await schedule('health_check-each-pass-first')).state).toBe('scheduled');
  }, 150_000);

  it('of a year are drawn as the bars and rows in sight', async () => {
    const passes = Array.from({ length: YEAR }, (_, n) => pass(`y${n}`, 2_000 + n * 95, 'sat2'));
    await post('/v1/passes/replace_window', 'flight-dynamics', {
      source: 'fds',
      target: 'sat2',
      from: at(1_500),
      to: new Date(START + 366 * DAY).toISOString(),
      passes,
    });
    const page = await open('#/passes?target=sat2&span=1 y');
    await page.locator('#pass-words', { hasText: `${YEAR} passes in sight` }).waitFor({ timeout: 60_000 });
    await page.evaluate(COUNT_PAINTING);
    await page.getByRole('group', { name: /^Timeline of passes/ }).focus();
    for (const key of ['PageDown', '-', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await page.locator('#pass-words', { hasText: 'Selected: sat2' }).waitFor();
    const { most } = (await page.evaluate('window.painted')) as { most: number };
    // A bar is three dots wide at least: 480 in a lane of 1,440, with what stands under each, and the axis.
    expect(most).toBeGreaterThan(100);
    expect(most).toBeLessThan(1_200);
    expect(await page.locator('.passes tbody tr').count()).toBeLessThan(60);
    await page.locator('.in-sight.passes').evaluate((box) => box.scrollTo(0, 90_000));
    await page.locator('.passes tbody tr', { hasText: '47 deg' }).first().waitFor();
    expect(await page.locator('.passes tbody tr').count()).toBeLessThan(60);
  }, 150_000);
});

/** Rectangles that are filled from one drawing to the next: a drawing begins with what was there being cleared. */
const COUNT_PAINTING = `
  window.painted = { now: 0, most: 0 };
  const { fillRect, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...place) {
    window.painted.now = 0;
    return clearRect.apply(this, place);
  };
  CanvasRenderingContext2D.prototype.fillRect = function (...place) {
    window.painted.now += 1;
    window.painted.most = Math.max(window.painted.most, window.painted.now);
    return fillRect.apply(this, place);
  };
`;

describe('the files', () => {
  it('are listed, brought down and saved to disk, with the token in no address', async () => {
    const page = await open('#/files?target=sat1');
    const row = page.locator('.files tbody tr', { hasText: '2,048 B' });
    await until(async () => {
      await page.getByRole('button', { name: 'Ask sat1 for a listing' }).click();
      return row
        .waitFor({ timeout: 5_000 })
        .then(() => true)
        .catch(() => false);
    }, PATIENTLY);
    await page.locator('#listing-words', { hasText: /5 files; last listed \d/ }).waitFor();
    await row.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.locator('#file-title', { hasText: 'File 2 of sat1' }).waitFor();
    await page
      .locator('#file-title')
      .evaluate((title) => title.closest('section')!.querySelector('button')!.focus());
    await page.keyboard.press('Enter');
    const card = page.locator('.transfer');
    await card.getByText(/✓ VERIFIED/).waitFor({ timeout: 60_000 });
    await card.getByText('2,048 of 2,048 B · 100 % · no gap').waitFor();
    expect(await findings(page)).toEqual([]);
    await seeChart(card, { id: 'sat1.2.1', state: /^transfer\..*VERIFIED$/ });
    await card.getByText('2,048 of 2,048 B · 100 % · no gap').waitFor();
    const content = Buffer.from(
      await (await fetch(`${cell.mcs.api}/v1/transfers/sat1/2/1/content`)).arrayBuffer(),
    ).toString('hex');
    // A browser without a window has nobody to ask for a place: it is a file of the page's own.
    await page.evaluate(OWN_FILE);
    await card.getByRole('button', { name: 'Save to disk…' }).click();
    await card.getByText('✓ saved as').waitFor();
    expect(await page.evaluate('window.savedBytes()')).toBe(content);
    await page.evaluate('delete window.showSaveFilePicker; window.showSaveFilePicker = undefined');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      card.getByRole('button', { name: 'Save to disk…' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('sat1-2-1');
    const pieces: Buffer[] = [];
    for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString('hex')).toBe(content);
    // At once: whatever else the page asks with that token opens the question for another one.
    const [request] = await Promise.all([
      page.waitForRequest(/\/content/),
      card.getByRole('button', { name: 'Save to disk…' }).evaluate((button) => {
        button.ownerDocument.defaultView!.sessionStorage.setItem('mcs.token', 'a.b.c');
        button.click();
      }),
    ]);
    expect([request.url(), request.headers()['authorization']]).toEqual([
      `${cell.mcs.api}/v1/transfers/sat1/2/1/content`,
      'Bearer a.b.c',
    ]);
    await card.locator('.refusal', { hasText: 'auth::' }).waitFor();
  }, 150_000);

  it('are written by the procedure that uploads them, from a file of the computer', async () => {
    const page = await open('#/files/40?target=sat1&form=upload', { width: 390 });
    const store = page.getByRole('button', { name: 'Store it and review…' });
    await store.click();
    await page.locator('#upload-content-words', { hasText: 'choose a file' }).waitFor();
    await page.locator('#upload-content').setInputFiles({
      name: 'patch.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('a small patch'.repeat(20)),
    });
    await page.locator('#upload-environment').selectOption('bench');
    expect(await page.locator('#upload-file').inputValue()).toBe('40');
    await store.click();
    await page
      .locator('.line', {
        hasText: /put_file of ops@1.0.0 in bench, sat=sat1, file=40, content=[0-9a-f]{64}/,
      })
      .waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const ids = await loseFirstAnswer(page, '/v1/runs');
    const start = page.getByRole('button', { name: 'Start the run that writes it' });
    await start.click();
    await page.locator('.refusal', { hasText: 'under the same identifier' }).waitFor();
    await start.click();
    await page.getByText(/^✓ Started: run/).waitFor();
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    await page
      .locator('.transfer', { hasText: '↑ upload' })
      .getByText('260 of 260 B')
      .waitFor({ timeout: 60_000 });
  }, 150_000);

  it('of five thousand are drawn as the rows in sight', async () => {
    const watched = await openPage(browser, cell.mcs.api, { forgiven });
    opened.push(watched);
    const { page } = watched;
    const listed_at = new Date().toISOString();
    const files = Array.from({ length: 5_000 }, (_, n) => ({
      id: `${n}`,
      size: n,
      generation: 1,
      listed_at,
    }));
    await page.route('**/v1/targets/sat1/files', (route) =>
      route.fulfill({ json: { component: 'files', files } satisfies OnboardDirectory }),
    );
    await page.goto(`${cell.mcs.api}/#/files?target=sat1`);
    await page.locator('#listing-words', { hasText: '5000 files' }).waitFor();
    const rows = page.locator('.files tbody tr');
    expect(await rows.count()).toBeLessThan(60);
    await page.locator('.in-sight.files').evaluate((box) => box.scrollTo(0, 120_000));
    await rows.filter({ hasText: '4,00' }).first().waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.getByLabel('Find').fill('4999');
    await until(async () => (await rows.count()) === 1);
  }, 150_000);
});

/** Saves into a file that the page may have without asking; `savedBytes` reads it back, in hexadecimal. */
const OWN_FILE = `
  let kept;
  window.showSaveFilePicker = async ({ suggestedName }) =>
    (kept = await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }));
  window.savedBytes = async () =>
    [...new Uint8Array(await (await kept.getFile()).arrayBuffer())].map((byte) => byte.toString(16).padStart(2, '0')).join('');
`;
