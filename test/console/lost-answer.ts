/** Answers that are lost on their way to a page. */

import type { Page } from 'playwright-core';

/**
 * The service carries out what is posted to `path` first, and the page never finds out. Returns the identifiers that
 * are posted to it, in order.
 */
export async function loseFirstAnswer(page: Page, path: string): Promise<readonly string[]> {
  const ids: string[] = [];
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    ids.push((route.request().postDataJSON() as { id: string }).id);
    if (ids.length > 1) return route.continue();
    await route.fetch();
    await route.fulfill({ status: 503, json: { errors: [{ code: 'api::unavailable', message: 'away' }] } });
  });
  return ids;
}
