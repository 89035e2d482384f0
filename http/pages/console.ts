/** The pages of mission control as a fixed list. Decisions 8 and 57. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { movedPage, type Page } from './page.ts';
import { filePage, scriptPages } from './sources.ts';

const plotStyle = pathToFileURL(createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css'));

/** What `/` and `/inspect` consist of. */
export const consolePages: readonly Page[] = [
  filePage('/', 'operator/operator.html', 'text/html; charset=utf-8', true),
  movedPage('/console', '/'),
  movedPage('/console/', '/'),
  filePage('/inspect', 'inspect/inspect.html', 'text/html; charset=utf-8', true),
  movedPage('/inspect/', '/inspect'),
  filePage('/console/style.css', 'style.css', 'text/css; charset=utf-8'),
  filePage('/console/frame.css', 'operator/frame/frame.css', 'text/css; charset=utf-8'),
  filePage('/console/operator.css', 'operator/operator.css', 'text/css; charset=utf-8'),
  filePage('/console/passes.css', 'operator/passes/passes.css', 'text/css; charset=utf-8'),
  filePage('/console/files.css', 'operator/files/files.css', 'text/css; charset=utf-8'),
  filePage('/console/inspect.css', 'inspect/inspect.css', 'text/css; charset=utf-8'),
  filePage('/console/plot.css', plotStyle, 'text/css; charset=utf-8'),
  filePage('/console/icon.svg', 'icon.svg', 'image/svg+xml'),
  ...scriptPages(['theme.ts', 'operator/operator.ts', 'inspect/inspect.ts']),
];
