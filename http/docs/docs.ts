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

/** The pages of mission control. */
export const docsPages: readonly Page[] = docsPagesOf('Mission Control Service', '/v1/openapi.json');

/** The pages of a service whose interface description is at `document`. */
export function docsPagesOf(title: string, document: string): readonly Page[] {
  return [
    definePage({
      path: '/docs',
      contentType: 'text/html; charset=utf-8',
      csp: POLICY,
      body: async () =>
        filled(await readFile(new URL('page/docs.html', import.meta.url), 'utf8'), title, document),
    }),
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
}

/** Both are of this program and hold nothing that HTML reads otherwise. */
function filled(template: string, title: string, document: string): Buffer {
  return Buffer.from(template.replaceAll('{title}', title).replaceAll('{document}', document));
}

function page(path: string, contentType: string, file: URL): Page {
  return definePage({ path, contentType, csp: POLICY, body: () => readFile(file) });
}
