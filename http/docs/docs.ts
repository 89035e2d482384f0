/**
 * `/docs`: the interface description for people, shown by Swagger UI from files of this machine. Requests are tried out
 * against the service that serves the page. Mission Control Service, section 9; the page is ours.
 *
 * D1. Nothing is loaded from elsewhere: scripts and styles are files of `swagger-ui-dist`, ours are `page/`.
 */

import { readFile } from 'node:fs/promises';
import { definePage, type Page } from '../pages/page.ts';

/** Swagger UI keeps its icons as `data:` in its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

export const docsPages: readonly Page[] = [
  page('/docs', 'text/html; charset=utf-8', new URL('page/docs.html', import.meta.url)),
  page('/docs/docs.css', STYLE, new URL('page/docs.css', import.meta.url)),
  page('/docs/docs.js', SCRIPT, new URL('page/docs.js', import.meta.url)),
  page('/docs/swagger-ui.css', STYLE, new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))),
  page(
    '/docs/swagger-ui-bundle.js',
    SCRIPT,
    new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  ),
  page(
    '/docs/favicon-32x32.png',
    'image/png',
    new URL(import.meta.resolve('swagger-ui-dist/favicon-32x32.png')),
  ),
];

function page(path: string, contentType: string, file: URL): Page {
  return definePage({ path, contentType, csp: POLICY, body: () => readFile(file) });
}
