/**
 * The operator's console in a real browser against a real process: a task of a shift on each page, by keyboard
 * where an operator would, with what is refused beside what was refused.
 */

import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import type { RunSummary } from '../../contract/run.ts';
import { freeze } from '../support/freeze.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import {
  findings,
  manyMeasures,
  named,
  type OperatorCell,
  seeChart,
  startOperatorCell,
} from './operator-page.ts';
import { FEEDING, sampleOf, watchWork } from './page-work.ts';

/** What the browser says of a request that is refused on purpose, and of a process that is not ready at once. */
const forgiven = /status of (4\d\d|503 .*readyz)/;

const NOT_ALLOWED = { code: 'auth::forbidden', message: 'ada may not see this catalogue' };

let cell: OperatorCell;
let browser: Browser;
const opened: Watched[] = [];

beforeAll(async () => {
  [cell, browser] = await Promise.all([startOperatorCell(), launch()]);
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

async function open(fragment = '', options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const watched = await openPage(browser, cell.mcs.api, { forgiven, ...options });
  opened.push(watched);
  await watched.page.goto(`${cell.mcs.api}/${fragment}`);
  await watched.page.locator('nav [aria-current=page]').waitFor();
  return watched.page;
}

describe('the frame', () => {
  it('shows target, mode, link and passes, and finds a measure by keyboard alone', async () => {
    const page = await open();
    const status = page.locator('.status');
    // Driver and gateway are asked again and again: a busy machine may keep them from answering the first time.
    await status.filter({ hasText: /Mode\s+safe/ }).waitFor();
    await status.filter({ hasText: /uhf\s+● up\s+telemetry \d/ }).waitFor();
    // Before the passes are followed it says that they are not read.
    await status.getByText('no pass known').waitFor();
    await page.locator('.alarms tbody tr').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('#palette-list [role=option]', { hasText: 'battery[1].voltage' }).waitFor();
    await page.keyboard.type('measure voltage');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Values of sat1' }).waitFor();
    await page.locator('.legend', { hasText: 'battery[1].voltage' }).waitFor();
    expect(new URL(page.url()).hash).toContain('plot=battery');
    // The key that chooses is not pressed on the button that opened the palette as well.
    await page.getByRole('button', { name: 'Go to…' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#palette-list [role=option]', { hasText: 'events' }).waitFor();
    await page.keyboard.type('page events');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    expect(await page.locator('#palette').isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    // A catalogue that comes after the palette was opened is found in it as well.
    await page.reload();
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('measure voltage');
    await page.locator('#palette-list [role=option]', { hasText: 'battery[1].voltage' }).waitFor();
  }, 60_000);

  it('says within 3 s that the service does not answer, and recovers when it does', async () => {
    const page = await open('#/values?target=sat1');
    await page.locator('.values tbody strong').first().waitFor();
    const pid = cell.mcs.child.pid!;
    await freeze(pid);
    try {
      await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor();
      expect(await page.evaluate('document.body.className')).toBe('lost');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor({ state: 'detached' });
    await until(async () =>
      /0\.\d s ago|[1-9]\.\d s ago/.test((await page.locator('.values').textContent()) ?? ''),
    );
  }, 60_000);
});

describe('the alarms', () => {
  it('are acknowledged and shelved, many at once, with a refusal beside each that was refused', async () => {
    const page = await open('#/alarms?target=sat1&only=target');
    const rows = page.locator('.alarms tbody tr');
    await until(async () => (await rows.count()) === 3, { timeoutMs: 30_000, what: 'three alarms' });
    const voltage = rows.filter({ hasText: 'battery[1].voltage' });
    await voltage.getByText('above the hard maximum 7.2 V').waitFor();
    expect(await voltage.textContent()).toContain('▲ critical');
    await seeChart(voltage, { id: 'sat1.battery.1.voltage', state: /^alarm\.life\.ACTIVE_UNACK$/ });
    await until(async () => (await rows.count()) === 3, { timeoutMs: 30_000, what: 'three alarms again' });
    await page.getByLabel('all', { exact: true }).check();
    await page.getByRole('button', { name: 'Acknowledge 3' }).click();
    await until(async () => (await page.locator('.refusal').count()) === 3, { what: 'three refusals' });
    await named(page);
    await page.getByRole('button', { name: 'Acknowledge 3' }).click();
    await until(async () => (await rows.filter({ hasText: 'active, acknowledged' }).count()) === 3);
    await until(async () => (await page.locator('.refusal').count()) === 0);
    await page.getByLabel('Term').fill('sometime');
    await page.getByRole('button', { name: 'Shelve 3 for sometime' }).click();
    await page.locator('.refusal', { hasText: 'sometime' }).first().waitFor();
    await page.getByLabel('Term').fill('30 min');
    await page.getByRole('button', { name: 'Shelve 3 for 30 min' }).click();
    await until(async () => (await rows.filter({ hasText: /29 min \d+ s left/ }).count()) === 3);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unshelve 3' }).click();
    await until(async () => (await rows.filter({ hasText: 'left' }).count()) === 0);
  }, 120_000);

  it('say of a reaction that waits for a decision what for and what it keeps, until it has ended', async () => {
    const path = cell.credentials;
    const bus = openBus({
      url: cell.mcs.nats,
      name: 'reaction',
      log: quiet,
      credentials: { kind: 'file', path },
    });
    const put = (bucket: BucketDefinition, key: string, value: object): Promise<number> =>
      bus.bucket(bucket).overwrite(key, Buffer.from(JSON.stringify(value)));
    const run = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
    const alarm = 'sat1.battery.1.voltage';
    const reaction: RunSummary = {
      run,
      procedure: 'shed_load',
      suspended: false,
      environment: 'rehearsal',
      targets: { sat: 'sat1' },
      by: `alarm ${alarm}`,
      started_at: '2026-01-02T03:04:00.000Z',
      step: 'off',
    };
    const since = '2026-01-02T03:04:05.678Z';
    const pending = { path: 'off', kind: 'decision', prompt: 'no echo', question: 7, since } as const;
    try {
      await until(() => bus.connected);
      await put(buckets.leases, 'sat1', { holders: [{ run, mode: 'exclusive', alarm }] });
      await put(buckets.runs, run, { ...reaction, pending });
      const page = await open('#/alarms?target=sat1&only=target');
      const row = page.locator('.alarms tbody tr').filter({ hasText: 'battery[1].voltage' });
      const words = 'waits for a decision at off since 03:04:05Z, and keeps sat1 meanwhile: no echo';
      await row.getByText(words).waitFor();
      expect(await row.getByRole('link', { name: 'shed_load' }).getAttribute('href')).toContain(run);
      expect(await findings(page)).toEqual([]);
      await put(buckets.runs, run, { ...reaction, finished: false, reason: 'aborted by ada' });
      await row.getByText('shed_load failed').waitFor();
      await until(async () => (await row.getByText(words).count()) === 0);
    } finally {
      await put(buckets.leases, 'sat1', { holders: [] });
      await bus.bucket(buckets.runs).overwrite(run, new Uint8Array());
      await bus.close();
    }
  }, 60_000);
});

describe('the values', () => {
  it('are filtered as typed, the abnormal first, and plotted back in time by an address', async () => {
    const page = await open('#/values?target=sat1', { theme: 'dark' });
    const names = page.locator('.values tbody th');
    await page.locator('.values tbody strong').first().waitFor();
    // Values may come before the catalogue, whose order it is.
    await until(async () => (await names.first().textContent()) === 'obc.mode', { what: 'the catalogue' });
    await page.getByLabel('abnormal and stale first').check();
    await until(async () => (await names.first().textContent()) === 'battery[1].voltage');
    await page.getByLabel('Find').fill('].voltage');
    await until(async () => (await names.count()) === 2);
    await page.getByLabel('Plot battery[1].voltage').check();
    await page.locator('.plot canvas').waitFor();
    await page.locator('.legend', { hasText: /here [\d.]+ to/ }).waitFor();
    await page.getByRole('group', { name: /^Plot of/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('-');
    await until(() => page.url().includes('from=') && page.url().includes('plot=battery'));
    await page.getByRole('button', { name: 'Live', exact: true, pressed: false }).waitFor();
    await page.reload();
    await page.locator('.legend', { hasText: /here [\d.]+ to/ }).waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await until(() => !page.url().includes('from='));
    expect(await findings(page)).toEqual([]);
  }, 60_000);
});

describe('the telecommands', () => {
  it('are typed, reviewed with their frame, sent and followed by keyboard alone', async () => {
    const page = await open('#/telecommands/obc.set_mode?target=sat1');
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.textContent.trim() || document.activeElement.id');
    const tabTo = (name: RegExp): Promise<unknown> =>
      until(async () => {
        await page.keyboard.press('Tab');
        return name.test(await focused());
      });
    const mode = page.getByRole('combobox', { name: /^mode/ });
    await mode.waitFor();
    await page.getByRole('button', { name: 'Review…' }).click();
    await page.locator('#tc-mode-fault', { hasText: 'required' }).waitFor();
    await mode.focus();
    await page.keyboard.type('NOM');
    await tabTo(/^Review…$/);
    await page.keyboard.press('Enter');
    await page.locator('.review .line', { hasText: 'sat1 obc.set_mode mode=NOMINAL over uhf' }).waitFor();
    expect(await page.locator('.review .frame').textContent()).toMatch(/^([0-9a-f]{2} ?)+$/);
    await until(async () => (await focused()) === 'Review');
    expect(await findings(page)).toEqual([]);
    await tabTo(/^Send to sat1$/);
    await page.keyboard.press('Enter');
    await page.locator('.chain', { hasText: '✓ VERIFIED' }).waitFor();
    expect(await page.locator('.chain').count()).toBe(1);
    // It comes by two watches, of which the later one begins at its beginning.
    const states = async (): Promise<string> =>
      (await page.locator('.chain ol strong').allTextContents()).join();
    await until(async () => (await states()) === '● PENDING,● ENCODED,● SENT,✓ VERIFIED', {
      what: 'each of its states',
    });
  }, 90_000);

  it('catalogues.C1 stay under the pointer while their catalogue is read again', async () => {
    const page = await open('#/telecommands/obc.set_mode?target=sat1');
    const review = page.getByRole('button', { name: 'Review…' });
    await review.waitFor();
    const form = await review.elementHandle();
    const held: Route[] = [];
    let isRefused = false;
    const refuse = (route: Route): Promise<void> =>
      route.fulfill({ status: 403, json: { errors: [NOT_ALLOWED] } });
    // It is asked for again and again, also while the first refusal is looked at.
    await page.route('**/catalogue', (route) => (isRefused ? refuse(route) : void held.push(route)));
    await named(page);
    await until(() => held.length > 0);
    expect(await review.isVisible()).toBe(true);
    isRefused = true;
    for (const route of held) await refuse(route);
    // The question for a token has the same words, and stands a moment before the page is drawn again.
    await page.locator('.refusal', { hasText: NOT_ALLOWED.message }).waitFor();
    expect(await review.isVisible()).toBe(false);
    await page.unroute('**/catalogue');
    await review.waitFor();
    expect(await form?.isVisible()).toBe(false);
  }, 60_000);

  it('that are hazardous leave only when they are named, and a value out of range never', async () => {
    const page = await open('#/telecommands/obc.reboot?target=sat1');
    await page.getByRole('button', { name: 'Review…' }).click();
    const send = page.getByRole('button', { name: 'Send to sat1' });
    await send.waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('To send it, type its name').fill('obc.reboo');
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('To send it, type its name').fill('obc.reboot');
    await until(() => send.isEnabled(), { what: 'the button to be enabled' });
    await page.locator('.list a', { hasText: 'obc.set_watchdog' }).click();
    await page.getByRole('textbox', { name: /^period/ }).fill('601');
    await page.locator('#tc-period-fault', { hasText: 'at most 600 s' }).waitFor();
    await page.getByRole('textbox', { name: /^period/ }).fill('11 min');
    await page.getByRole('button', { name: 'Review…' }).click();
    await page.locator('.refusal', { hasText: 'tc::out-of-range' }).waitFor();
    expect(await page.locator('.review').count()).toBe(0);
  }, 60_000);
});

describe('the runs', () => {
  it('are started from a form, answered, suspended, resumed and decided about', async () => {
    const page = await open('#/runs?target=sat1&start=ops@1.0.0/ask_level');
    await named(page);
    await page.getByRole('combobox', { name: /^environment/ }).selectOption('rehearsal');
    await page.getByText('What is strong enough; number in dB, 0 to 10; default 3 dB').waitFor();
    await page.getByRole('textbox', { name: /^least/ }).fill('4');
    await page.getByRole('button', { name: 'Review…' }).click();
    await page
      .locator('.line', { hasText: 'ask_level of ops@1.0.0 in rehearsal, sat=sat1, least=4 dB' })
      .waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.id');
    await until(async () => (await focused()) === 'start-review');
    await page.getByRole('button', { name: 'Start the run' }).focus();
    await page.keyboard.press('Enter');
    await until(async () => (await focused()) === 'run-title');
    const question = page.locator('.question');
    await question.getByText('Signal level of the downlink?').waitFor();
    await page.locator('.status', { hasText: /1\s+run waits/ }).waitFor();
    await question.getByText(/4 min \d+ s left/).waitFor();
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.locator('.badge', { hasText: 'suspended' }).first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    const answer = page.getByRole('textbox', { name: /^answer/ });
    await answer.fill('90');
    expect(await page.getByRole('button', { name: 'Answer' }).isDisabled()).toBe(true);
    await answer.fill('2 dB');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await question.getByText('Needs a decision').waitFor();
    await question.getByText('it counts as passed').waitFor();
    await page.getByRole('button', { name: 'skip' }).click();
    await page.locator('.badge', { hasText: '✓ passed' }).first().waitFor();
    // The list of runs may know it before the log of this one has come.
    await page.locator('.steps li', { hasText: /downlink.*skipped/s }).waitFor();
    await page.locator('.log li', { hasText: /started.*least=4 dB/s }).waitFor();
    const run = new URL(page.url()).hash.match(/runs\/([0-9A-Z]+)/)![1]!;
    await seeChart(page.locator('main'), { id: run, state: /^run\./ });
  }, 120_000);
});

describe('five thousand values a second', () => {
  it('are drawn as the rows in sight, no more often than can be read', async () => {
    const watched = await openPage(browser, cell.mcs.api, { forgiven });
    opened.push(watched);
    const { page } = watched;
    await page.addInitScript(FEEDING);
    await page.route('**/catalogue', (route) => route.fulfill({ json: manyMeasures(MEASURES) }));
    await page.goto(`${cell.mcs.api}/#/values?target=sat1&first=abnormal`);
    await page.locator('.values tbody tr', { hasText: 'big.m' }).first().waitFor();
    const first = page.locator('.values tbody tr').first();
    const before = await first.textContent();
    const work = await watchWork(page, '.values', 'tbody tr');
    await page.evaluate(`window.feed('values/watch', 10_000, ${sampleOf(MEASURES)})`);
    // A fast machine has handed over all of them before the first drawing.
    await until(async () => (await first.textContent()) !== before, { what: 'a drawing' });
    const { drawings, mostRows, seconds } = await work();
    expect(drawings).toBeGreaterThan(0);
    expect(drawings).toBeLessThanOrEqual(7 * (seconds + 1));
    expect(mostRows).toBeLessThan(60);
    await page.locator('p[role=status]', { hasText: /^50\d\d measures/ }).waitFor();
  }, 60_000);
});

const MEASURES = 5_000;
describe('on a telephone, and as a whole', () => {
  it('fits 390 px without a page that scrolls sideways, and the passes have no findings', async () => {
    const page = await open('#/telecommands/obc.set_mode?target=sat1', { width: 390 });
    await page.getByRole('button', { name: 'Review…' }).waitFor();
    for (const name of ['Values', 'Alarms', 'Runs', 'Passes']) {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      await page.locator('nav').getByRole('link', { name }).click();
      await page.getByRole('heading', { name: new RegExp(`^${name}`) }).waitFor();
    }
    expect(await findings(page)).toEqual([]);
  }, 60_000);

  it('is answered by a policy that knows no inline script', async () => {
    const { status, headers } = await fetch(`${cell.mcs.api}/`);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
  });
});
