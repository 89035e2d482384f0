/**
 * Signing in at the operator's console with a real identity provider: code flow with PKCE, the end of a token in the
 * middle of a form, its renewal, and a role that may not.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { until } from '../support/until.ts';
import { launch, openPage, type Watched } from './browser.ts';
import { AHEAD, findings, type OperatorCell, startOperatorCell } from './operator-page.ts';

/** What the browser says of requests without a token that counts. */
const forgiven = /status of (401|403|404|503)|WebSocket connection to|ERR_ABORTED/;
const PATIENTLY = { timeoutMs: 40_000 };

let provider: IdentityProvider;
let cell: OperatorCell;
let browser: Browser;
const opened: Watched[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider('mission-control');
  const auth = {
    issuer: provider.issuer,
    audience: 'mission-control',
    client_id: 'console',
    scopes: ['openid', 'mcs:operator'],
    roles_prefix: 'mcs:',
    required: true,
  };
  [cell, browser] = await Promise.all([
    startOperatorCell({ config: `auth: ${JSON.stringify(auth)}` }),
    launch(),
  ]);
}, 90_000);
afterAll(async () => {
  await browser.close();
  await cell.stop();
  await provider.stop();
});
afterEach(async () => {
  const problems = opened.flatMap((each) => each.problems);
  for (const { page } of opened.splice(0)) await page.context().close();
  expect(problems).toEqual([]);
});

async function open(fragment: string): Promise<Page> {
  const watched = await openPage(browser, cell.mcs.api, { forgiven, also: provider.issuer });
  opened.push(watched);
  await watched.page.goto(`${cell.mcs.api}/${fragment}`);
  return watched.page;
}

/** From the dialog to the provider and back. */
async function signIn(page: Page, account: string): Promise<void> {
  await page.getByRole('button', { name: /^Sign in at 127/ }).click();
  await page.getByLabel('Account').fill(account);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: `${account} (operator)` }).waitFor();
}

const kept = (page: Page): Promise<string> => page.evaluate("sessionStorage.getItem('mcs.token') ?? ''");

it('MC-AUTH-026 oidc.S1 S2 goes to the provider and comes back to the same view, with roles and without a token in the address', async () => {
  provider.wish({});
  const policy = (await fetch(`${cell.mcs.api}/`)).headers.get('content-security-policy');
  expect(policy).toContain(`connect-src 'self' ${provider.issuer};`);
  const page = await open('#/telecommands/obc.set_watchdog?target=sat1');
  await page.locator('#sign-in').waitFor();
  expect(await findings(page)).toEqual([]);
  await signIn(page, 'ada');
  await page.getByRole('textbox', { name: /^period/ }).waitFor();
  const { search, hash } = new URL(page.url());
  expect([search, hash]).toEqual(['', '#/telecommands/obc.set_watchdog?target=sat1']);
  const token = await kept(page);
  expect(token.split('.')).toHaveLength(3);
  expect(await page.evaluate("sessionStorage.getItem('mcs.sign-in')")).toBeNull();
  expect(await page.locator('#sign-in').isVisible()).toBe(false);
  // An answer that this tab did not ask for signs nobody in.
  await page.goto(`${cell.mcs.api}/?code=stolen&state=another#/alarms`);
  await page.locator('#sign-in-reason', { hasText: 'not begun in this tab' }).waitFor();
  expect(await kept(page)).toBe(token);
}, 60_000);

it('oidc.S1 S2 begun on the system page comes back to the entity that it showed, which is read with the token', async () => {
  provider.wish({});
  const page = await open('inspect?target=sat1#alarm/sat1.battery.1.voltage');
  await page.route(AHEAD, (route) => route.fulfill({ json: {} }));
  await page.locator('#sign-in').waitFor();
  await signIn(page, 'ada');
  await page.locator('#entity-title', { hasText: 'sat1.battery.1.voltage' }).waitFor();
  await page.locator('#chart [data-state="alarm.life.ACTIVE_UNACK"].active').waitFor();
  const { pathname, search, hash } = new URL(page.url());
  expect([pathname, search, hash]).toEqual(['/inspect', '?target=sat1', '#alarm/sat1.battery.1.voltage']);
  expect((await kept(page)).split('.')).toHaveLength(3);
  expect(await page.evaluate("sessionStorage.getItem('mcs.sign-in')")).toBeNull();
  expect(await page.locator('#sign-in').isVisible()).toBe(false);
}, 60_000);

it('oidc-tokens.S3 loses nothing that was typed when the token ends in the middle of a form; one that can be renewed is, without a word', async () => {
  provider.wish({ lifeS: 10 });
  const page = await open('#/telecommands/obc.set_watchdog?target=sat1');
  await page.locator('#sign-in').waitFor();
  await signIn(page, 'grace');
  const period = page.getByRole('textbox', { name: /^period/ });
  await period.fill('77 s');
  // Another tab meanwhile: the token of this one counts for 5 s more than it says.
  provider.wish({ lifeS: 4, isRenewable: true });
  const other = await open('#/alarms?target=sat1');
  await other.locator('#sign-in').waitFor();
  await signIn(other, 'lin');
  const first = await kept(other);
  await until(async () => (await kept(other)) !== first, PATIENTLY);
  expect(await other.locator('#sign-in').isVisible()).toBe(false);
  await other.close();
  await page.locator('#sign-in').waitFor(PATIENTLY_MS);
  await page.keyboard.press('Escape');
  expect(await period.inputValue()).toBe('77 s');
  // Whoever has declined is asked again by what they do.
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.locator('#sign-in').waitFor();
  provider.wish({ lifeS: 600 });
  await signIn(page, 'grace');
  await until(async () => (await period.inputValue()) === '77 s', PATIENTLY);
  await page.getByRole('button', { name: 'Review…' }).click();
  await page.locator('.review .line', { hasText: 'period=77' }).waitFor();
}, 120_000);

it('permission.P1 says on the button which role is missing, and beside it what the service refused', async () => {
  provider.wish({});
  const page = await open('#/fleet/units?target=sat1');
  await page.locator('#sign-in').waitFor();
  await page.route('**/v1/units', (route) => route.fulfill({ json: { units: [UNIT] } }));
  await signIn(page, 'ada');
  await page.getByRole('button', { name: 'Reboot… (needs role supervisor)' }).click();
  await page.getByRole('button', { name: 'Reboot bench-07 now' }).click();
  await page.locator('.refusal', { hasText: 'ada has no role supervisor' }).waitFor();
  await page.getByRole('progressbar', { name: 'update of bench-07' }).waitFor();
  expect(await findings(page)).toEqual([]);
}, 60_000);

const PATIENTLY_MS = { timeout: 40_000 };
const UNIT = {
  serial: 'bench-07',
  software: { name: 'bench-unit', version: '1.4.0' },
  hardware_revision: 'C2',
  alive: true,
  health: { state: 'ok' },
  last_heard: new Date().toISOString(),
  registered_at: new Date().toISOString(),
  heartbeat_period_ms: 1_000,
  activity: { verb: 'update', phase: 'downloading', percent: 40 },
  gateways: [],
};
