/** A headless Chromium for the tests of the pages; without one they are skipped (`mcs test` says so). */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The browser of `mcs test`, else the one of the system; undefined when there is none. */
export const browserPath: string | undefined = [process.env['CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
);

/** Starts it; whoever starts it closes it. */
export function startBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error('there is no Chromium; test `browserPath` first');
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
}
