/**
 * `/inspect` and `/docs` where only tokens count: they ask for one, keep it in the tab, and show it with every request.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AuthSettings } from '../../mission/mission.ts';
import { startWorld, type World } from '../http/world.ts';
import { type Signer, signer } from '../identity/signer.ts';
import { launch, openPage, type Watched } from './browser.ts';

const ISSUER = 'https://id.example';
/** The refusals this is about, as the browser reports them. */
const forgiven = /status of 401|WebSocket connection to/;

let world: World;
let browser: Browser;
let folder: string;
let es256: Signer;
const opened: Watched[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-sign-in-'));
  [world, browser, es256] = await Promise.all([startWorld(), launch(), signer('ES256')]);
  const jwks_file = join(folder, 'keys.json');
  await writeFile(jwks_file, JSON.stringify({ keys: [es256.jwk] }));
  const auth: AuthSettings = { issuer: ISSUER, audience: 'mcs', jwks_file, required: true };
  world.missions.publish({ ...world.mission, settings: { ...world.mission.settings, auth } });
}, 120_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  const problems = opened.flatMap((each) => each.problems);
  for (const { page } of opened.splice(0)) await page.context().close();
  expect(problems).toEqual([]);
});

async function open(path: string): Promise<Page> {
  const watched = await openPage(browser, world.url, { forgiven });
  opened.push(watched);
  await watched.page.goto(`${world.url}${path}`);
  return watched.page;
}

/** Does what the page is loaded again by; until then it may ask once more. */
async function reloadedBy(page: Page, act: () => Promise<void>): Promise<void> {
  const loaded = page.waitForEvent('load');
  await act();
  await loaded;
}

function token(lifeS = 600): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return es256.token({ iss: ISSUER, aud: 'mcs', sub: 'Zoë', iat: now, exp: now + lifeS });
}

describe('/inspect', () => {
  it('MC-AUTH-017 MC-AUTH-003 asks for a token, and is live with it over reloads', async () => {
    const page = await open('/inspect');
    const dialog = page.locator('#sign-in');
    await dialog.waitFor();
    expect(await page.locator('#sign-in-reason').textContent()).toContain('requires a bearer token');
    await page.keyboard.type(await token());
    await reloadedBy(page, () => page.keyboard.press('Enter'));
    await page.locator('#connection.ok').waitFor();
    expect(await dialog.isVisible()).toBe(false);
    const identity = page.locator('.status').getByRole('button', { name: 'Zoë' });
    await identity.waitFor();
    await page.reload();
    await page.locator('#connection.ok').waitFor();
    expect(page.url()).not.toContain('token');

    await identity.click();
    await reloadedBy(page, () => page.getByRole('button', { name: 'Sign out' }).click());
    await dialog.waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('says why a token is refused, and asks for another', async () => {
    const page = await open('/inspect');
    await page.locator('#sign-in').waitFor();
    await page.locator('#sign-in-token').fill(await token(-60));
    await reloadedBy(page, () => page.locator('#sign-in button[type=submit]').click());
    await page.locator('#sign-in-reason', { hasText: 'it expired at' }).waitFor();
    await page.locator('#sign-in-token').fill(`Bearer ${await token()}`);
    await page.locator('#sign-in button[type=submit]').click();
    await page.locator('#connection.ok').waitFor();
  });
});

describe('/docs', () => {
  it('asks for a token and shows the interface with it', async () => {
    const page = await open('/docs');
    await page.locator('form.sign-in input').fill(await token());
    await page.locator('form.sign-in button').click();
    await page.locator('#operations-Identity-issueCredentials').waitFor();
    expect(await page.locator('form.sign-in').count()).toBe(0);
  });
});
