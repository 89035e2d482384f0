/**
 * A real browser for the pages of the console: Chromium without a window, that may talk to nobody but the service under
 * test. `CHROMIUM` names another one.
 */

import { type Browser, chromium, type Page } from 'playwright-core';

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Watched {
  readonly page: Page;
  /** Errors on the console and of scripts, and requests to another origin. */
  readonly problems: string[];
}

export function launch(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ARGS });
}

/**
 * A page of its own profile on the service. `forgiven`: what the console may say about a request that is meant to fail.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  { forgiven = /^$/, theme = 'light' as 'light' | 'dark', reducedMotion = false, width = 1440 } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() === 'error' && !forgiven.test(text)) problems.push(text);
  });
  page.on('pageerror', (error) => problems.push(`${error}`));
  page.on('request', (request) => {
    const { host } = new URL(request.url());
    if (host !== new URL(origin).host) problems.push(`a request to ${request.url()}`);
  });
  await page.addInitScript(LONG_TASKS);
  return { page, problems };
}

/** Keeps how long the page did not answer, in ms. */
const LONG_TASKS = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
`;
