/**
 * Pages on uWebSockets.js: from its callback to the page and back. Beside the route table, because pages are no part of
 * the interface the OpenAPI document describes.
 */

import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import type { Page } from '../pages/page.ts';
import { Exchange } from './exchange.ts';
import { refusedHead } from './plain.ts';
import { readHead } from './request-head.ts';
import type { Served } from './served.ts';

/** Registers the page for GET and HEAD. */
export function registerPage(app: TemplatedApp, page: Page, served: Served): void {
  const handler =
    (headOnly: boolean) =>
    (res: HttpResponse, req: HttpRequest): void => {
      const exchange = new Exchange(res, headOnly, served.began('page'));
      try {
        if (refusedHead(readHead(req, []), exchange, served)) return;
        void respond(page, req.getHeader('if-none-match'), exchange, served);
      } catch (error) {
        served.failed(exchange, error);
      }
    };
  app.get(page.path, handler(false));
  app.head(page.path, handler(true));
}

async function respond(page: Page, ifNoneMatch: string, exchange: Exchange, served: Served): Promise<void> {
  try {
    exchange.finish(await page.answer(ifNoneMatch, served.ports.signInAt?.()));
  } catch (error) {
    served.failed(exchange, error);
  }
}
