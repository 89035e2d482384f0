/** `/docs` in a real browser: it shows the document of the service and tries routes out, and asks no other host. */

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describedRoutes, follows } from '../../http/front-end.ts';
import { launch, openPage } from '../console/browser.ts';
import { until } from '../support/until.ts';
import { call } from './fixture.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe('the files of /docs', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/docs.css', 'text/css; charset=utf-8'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
    ['/docs/favicon-32x32.png', 'image/png'],
  ])('%s is served from here as %s, without leave for foreign or inline scripts', async (path, type) => {
    const { status, headers, body } = await call(world.url + path);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(String(body).length).toBeGreaterThan(100);
  });

  it('the page loads nothing by an address with a host, and has no script in it', async () => {
    const { body } = await call(`${world.url}/docs`);
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });
});

describe('/docs in a browser', () => {
  let browser: Browser;
  let page: Page;
  let problems: readonly string[];

  beforeAll(async () => {
    browser = await launch();
    ({ page, problems } = await openPage(browser, world.url, { theme: 'dark' }));
    await page.goto(`${world.url}/docs`);
    await page.waitForSelector('.opblock');
  });
  afterAll(() => browser.close());

  it('shows every route', async () => {
    const shown = await page.locator('.opblock').count();
    expect(shown).toBe(describedRoutes.length + follows.length);
  });

  it('tries a route out against the service that serves it', async () => {
    const operation = page.locator('#operations-Service-readHealth');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.execute').click();
    const answered = operation.locator('.live-responses-table');
    await answered.waitFor();
    expect(await answered.innerText()).toContain(world.mission.revision);
  });

  it('says how to open a follow route instead of asking it', async () => {
    const operation = page.locator('#operations-Telecommands-watchTelecommands');
    await operation.locator('.opblock-summary-control').click();
    const shown = await operation.locator('.follow-route').innerText();
    expect(shown).toContain(`${world.url.replace('http', 'ws')}/v1/tc/watch`);
    expect(await operation.locator('.execute').count()).toBe(0);
  });

  it('is dark where the system is, and light where it is not', async () => {
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = 'rgb(28, 32, 34)';
    expect(await background()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await until(async () => (await background()) !== dark);
  });

  it('breaks no policy and asks no other host', () => {
    expect(problems).toEqual([]);
  });
});
