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

/**
 * What the console asks again by itself, as the browser reports it where a busy machine keeps the bus or a process from
 * answering: the page says so, and that is no fault of it. Of a process that is slow to answer the inspector knows no
 * entity and no chart, until it asks again.
 */
const ASKED_AGAIN = [
  /status of 503 .*\/(readyz|v1\/(mission|whoami|alarms|runs|links\/[^/?]*))(\?|$)/,
  /status of 503 .*\/v1\/(targets\/[^/?]*\/catalogue|runs\/[^/?]*\/steps|inspect\/entities)(\?|$)/,
  /status of (404|503) .*\/v1\/inspect\/(entities|charts)\/[^/?]/,
  /WebSocket connection to .*response code: 503/,
  /WebSocket connection to .*\/v1\/inspect\/entities\/.*response code: 404/,
];

/** A machine that is busy with others takes long to start a browser. */
const STARTED_MS = 60_000;

export interface Watched {
  readonly page: Page;
  /** Errors on the console and of scripts, and requests to another origin. */
  readonly problems: string[];
}

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS, timeout: STARTED_MS });
}

/**
 * A page of its own profile on the service. `forgiven`: what the console may say about a request that is meant to fail;
 * `also`: one more origin that it may talk to.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  {
    forgiven = /^$/,
    theme = 'light' as 'light' | 'dark',
    reducedMotion = false,
    width = 1440,
    also = undefined as string | undefined,
  } = {},
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
    const isForgiven = [forgiven, ...ASKED_AGAIN].some((each) => each.test(text));
    if (message.type() === 'error' && !isForgiven) problems.push(text);
  });
  page.on('pageerror', (error) => problems.push(`${error}`));
  page.on('request', (request) => {
    const { host } = new URL(request.url());
    const isAllowed = [origin, also].some((each) => each !== undefined && host === new URL(each).host);
    if (!isAllowed && !request.url().startsWith('blob:')) problems.push(`a request to ${request.url()}`);
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
